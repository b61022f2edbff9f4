//! The schemas in the binary.

/// One kind: its API group, its name, its schema as text.
#[derive(Debug)]
pub struct Embedded {
    /// The API group; empty for the core group.
    pub group: &'static str,
    /// The kind.
    pub kind: &'static str,
    /// The file under `schemas/`.
    pub json: &'static str,
}

macro_rules! embedded {
    ($($group:literal $kind:literal $path:literal;)*) => {
        &[$(Embedded { group: $group, kind: $kind, json: include_str!(concat!("../../schemas/", $path)) },)*]
    };
}

/// Every kind that meshlint knows the structure of.
pub const ALL: &[Embedded] = embedded! {
    "security.istio.io" "AuthorizationPolicy" "istio/authorizationpolicy.json";
    "networking.istio.io" "DestinationRule" "istio/destinationrule.json";
    "networking.istio.io" "EnvoyFilter" "istio/envoyfilter.json";
    "networking.istio.io" "Gateway" "istio/gateway.json";
    "security.istio.io" "PeerAuthentication" "istio/peerauthentication.json";
    "networking.istio.io" "ProxyConfig" "istio/proxyconfig.json";
    "security.istio.io" "RequestAuthentication" "istio/requestauthentication.json";
    "networking.istio.io" "ServiceEntry" "istio/serviceentry.json";
    "networking.istio.io" "Sidecar" "istio/sidecar.json";
    "telemetry.istio.io" "Telemetry" "istio/telemetry.json";
    "extensions.istio.io" "TrafficExtension" "istio/trafficextension.json";
    "networking.istio.io" "VirtualService" "istio/virtualservice.json";
    "extensions.istio.io" "WasmPlugin" "istio/wasmplugin.json";
    "networking.istio.io" "WorkloadEntry" "istio/workloadentry.json";
    "networking.istio.io" "WorkloadGroup" "istio/workloadgroup.json";
    "gateway.networking.k8s.io" "BackendTLSPolicy" "gateway-api/backendtlspolicy.json";
    "gateway.networking.k8s.io" "Gateway" "gateway-api/gateway.json";
    "gateway.networking.k8s.io" "GatewayClass" "gateway-api/gatewayclass.json";
    "gateway.networking.k8s.io" "GRPCRoute" "gateway-api/grpcroute.json";
    "gateway.networking.k8s.io" "HTTPRoute" "gateway-api/httproute.json";
    "inference.networking.x-k8s.io" "InferenceModelRewrite" "gateway-api/inferencemodelrewrite.json";
    "inference.networking.x-k8s.io" "InferenceObjective" "gateway-api/inferenceobjective.json";
    "inference.networking.k8s.io" "InferencePool" "gateway-api/inferencepool.json";
    "inference.networking.x-k8s.io" "InferencePoolImport" "gateway-api/inferencepoolimport.json";
    "gateway.networking.k8s.io" "ListenerSet" "gateway-api/listenerset.json";
    "gateway.networking.k8s.io" "ReferenceGrant" "gateway-api/referencegrant.json";
    "gateway.networking.k8s.io" "TCPRoute" "gateway-api/tcproute.json";
    "gateway.networking.k8s.io" "TLSRoute" "gateway-api/tlsroute.json";
    "gateway.networking.k8s.io" "UDPRoute" "gateway-api/udproute.json";
    "gateway.networking.x-k8s.io" "XBackend" "gateway-api/xbackend.json";
    "gateway.networking.x-k8s.io" "XBackendTrafficPolicy" "gateway-api/xbackendtrafficpolicy.json";
    "gateway.networking.x-k8s.io" "XMesh" "gateway-api/xmesh.json";
    "" "ConfigMap" "kubernetes/configmap.json";
    "batch" "CronJob" "kubernetes/cronjob.json";
    "apiextensions.k8s.io" "CustomResourceDefinition" "kubernetes/customresourcedefinition.json";
    "apps" "DaemonSet" "kubernetes/daemonset.json";
    "apps" "Deployment" "kubernetes/deployment.json";
    "" "Endpoints" "kubernetes/endpoints.json";
    "discovery.k8s.io" "EndpointSlice" "kubernetes/endpointslice.json";
    "networking.k8s.io" "Ingress" "kubernetes/ingress.json";
    "networking.k8s.io" "IngressClass" "kubernetes/ingressclass.json";
    "batch" "Job" "kubernetes/job.json";
    "admissionregistration.k8s.io" "MutatingWebhookConfiguration" "kubernetes/mutatingwebhookconfiguration.json";
    "" "Namespace" "kubernetes/namespace.json";
    "" "Node" "kubernetes/node.json";
    "" "Pod" "kubernetes/pod.json";
    "apps" "ReplicaSet" "kubernetes/replicaset.json";
    "argoproj.io" "Rollout" "kubernetes/rollout.json";
    "" "Secret" "kubernetes/secret.json";
    "" "Service" "kubernetes/service.json";
    "" "ServiceAccount" "kubernetes/serviceaccount.json";
    "apps" "StatefulSet" "kubernetes/statefulset.json";
    "admissionregistration.k8s.io" "ValidatingWebhookConfiguration" "kubernetes/validatingwebhookconfiguration.json";
};

/// What is no kind: the contents of the ConfigMap `istio`.
pub const CONFIGURATIONS: &[Embedded] = embedded! {
    "" "MeshConfig" "istio/meshconfig.json";
    "" "MeshNetworks" "istio/meshnetworks.json";
};
