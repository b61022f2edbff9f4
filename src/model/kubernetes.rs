//! The built-in kinds, as far as meshes are made of them.

use thin_vec::ThinVec;

use super::record::record;
use super::{Fields, Labels, Spanned, Text};

record! {
    /// A `Service`.
    Service<'a> {
        type_name: Option<Text<'a>> = text("type");
        cluster_ip: Option<Text<'a>> = text("clusterIP");
        external_name: Option<Text<'a>> = text("externalName");
        selector: Labels<'a> = labels("selector");
        ports: ThinVec<ServicePort<'a>> = list("ports", ServicePort::decode);
        publish_not_ready_addresses: Option<Spanned<bool>> = boolean("publishNotReadyAddresses");
        internal_traffic_policy: Option<Text<'a>> = text("internalTrafficPolicy");
        external_traffic_policy: Option<Text<'a>> = text("externalTrafficPolicy");
        traffic_distribution: Option<Text<'a>> = text("trafficDistribution");
        external_ips: ThinVec<Text<'a>> = texts("externalIPs");
        cluster_ips: ThinVec<Text<'a>> = texts("clusterIPs");
        ingress: ThinVec<LoadBalancerIngress<'a>> = elsewhere();
    }
    /// An address at which a load balancer answers for a `Service`; of its status.
    LoadBalancerIngress<'a> {
        ip: Option<Text<'a>> = text("ip");
        hostname: Option<Text<'a>> = text("hostname");
    }
    /// A `Node`; its labels are in the header.
    Node<'a> {
        provider_id: Option<Text<'a>> = text("providerID");
    }
    /// A port of a `Service`.
    ServicePort<'a> {
        name: Option<Text<'a>> = text("name");
        port: Option<Spanned<i64>> = number("port");
        target_port: Option<Text<'a>> = text("targetPort");
        protocol: Option<Text<'a>> = text("protocol");
        app_protocol: Option<Text<'a>> = text("appProtocol");
        node_port: Option<Spanned<i64>> = number("nodePort");
    }
    /// Labels and annotations that pods will have.
    TemplateMetadata<'a> {
        namespace: Option<Text<'a>> = text("namespace");
        labels: Labels<'a> = labels("labels");
        annotations: Labels<'a> = labels("annotations");
    }
    /// What runs in a pod.
    PodSpec<'a> {
        service_account_name: Option<Text<'a>> = text("serviceAccountName");
        host_network: Option<Spanned<bool>> = boolean("hostNetwork");
        node_name: Option<Text<'a>> = text("nodeName");
        hostname: Option<Text<'a>> = text("hostname");
        subdomain: Option<Text<'a>> = text("subdomain");
        containers: ThinVec<Container<'a>> = list("containers", Container::decode);
        init_containers: ThinVec<Container<'a>> = list("initContainers", Container::decode);
        security_context: Option<Box<SecurityContext>> = boxed("securityContext", SecurityContext::decode);
    }
    /// A container.
    Container<'a> {
        name: Option<Text<'a>> = text("name");
        image: Option<Text<'a>> = text("image");
        args: ThinVec<Text<'a>> = texts("args");
        ports: ThinVec<ContainerPort<'a>> = list("ports", ContainerPort::decode);
        env: ThinVec<EnvVar<'a>> = list("env", EnvVar::decode);
        restart_policy: Option<Text<'a>> = text("restartPolicy");
        security_context: Option<Box<SecurityContext>> = boxed("securityContext", SecurityContext::decode);
    }
    /// The user that a container runs as.
    SecurityContext {
        run_as_user: Option<Spanned<i64>> = number("runAsUser");
    }
    /// A port that a container listens on.
    ContainerPort<'a> {
        name: Option<Text<'a>> = text("name");
        container_port: Option<Spanned<i64>> = number("containerPort");
        protocol: Option<Text<'a>> = text("protocol");
    }
    /// A variable of the environment.
    EnvVar<'a> {
        name: Option<Text<'a>> = text("name");
        value: Option<Text<'a>> = text("value");
    }
    /// A `LabelSelector`.
    LabelSelector<'a> {
        match_labels: Labels<'a> = labels("matchLabels");
        match_expressions: ThinVec<Requirement<'a>> = list("matchExpressions", Requirement::decode);
    }
    /// One expression of a selector.
    Requirement<'a> {
        key: Option<Text<'a>> = text("key");
        operator: Option<Text<'a>> = text("operator");
        values: ThinVec<Text<'a>> = texts("values");
    }
    /// An `EndpointSlice`; its fields stand beside `metadata`.
    EndpointSlice<'a> {
        address_type: Option<Text<'a>> = text("addressType");
        endpoints: ThinVec<Endpoint<'a>> = list("endpoints", Endpoint::decode);
        ports: ThinVec<EndpointPort<'a>> = list("ports", EndpointPort::decode);
    }
    /// Addresses of an `EndpointSlice`.
    Endpoint<'a> {
        addresses: ThinVec<Text<'a>> = texts("addresses");
        conditions: Option<EndpointConditions> = object("conditions", EndpointConditions::decode);
        node_name: Option<Text<'a>> = text("nodeName");
        zone: Option<Text<'a>> = text("zone");
        target_ref: Option<Box<ObjectReference<'a>>> = boxed("targetRef", ObjectReference::decode);
    }
    /// Whether an endpoint takes traffic.
    EndpointConditions {
        ready: Option<Spanned<bool>> = boolean("ready");
        serving: Option<Spanned<bool>> = boolean("serving");
        terminating: Option<Spanned<bool>> = boolean("terminating");
    }
    /// A port of an `EndpointSlice`.
    EndpointPort<'a> {
        name: Option<Text<'a>> = text("name");
        port: Option<Spanned<i64>> = number("port");
        protocol: Option<Text<'a>> = text("protocol");
        app_protocol: Option<Text<'a>> = text("appProtocol");
    }
    /// Another object.
    ObjectReference<'a> {
        kind: Option<Text<'a>> = text("kind");
        namespace: Option<Text<'a>> = text("namespace");
        name: Option<Text<'a>> = text("name");
    }
    /// A `Secret`. Values are never read, only the keys.
    Secret<'a> {
        type_name: Option<Text<'a>> = text("type");
        data: ThinVec<Text<'a>> = keys("data");
        string_data: ThinVec<Text<'a>> = keys("stringData");
    }
    /// A `ConfigMap`.
    ConfigMap<'a> {
        data: Labels<'a> = labels("data");
    }
    /// A `ServiceAccount`.
    ServiceAccount<'a> {
        image_pull_secrets: ThinVec<ObjectReference<'a>> = list("imagePullSecrets", ObjectReference::decode);
    }
    /// An `Ingress`.
    Ingress<'a> {
        ingress_class_name: Option<Text<'a>> = text("ingressClassName");
        default_backend: Option<Box<IngressBackend<'a>>> = boxed("defaultBackend", IngressBackend::decode);
        tls: ThinVec<IngressTls<'a>> = list("tls", IngressTls::decode);
        rules: ThinVec<IngressRule<'a>> = list("rules", IngressRule::decode);
    }
    /// An `IngressClass`.
    IngressClass<'a> {
        controller: Option<Text<'a>> = text("controller");
    }
    /// A certificate of an `Ingress`.
    IngressTls<'a> {
        hosts: ThinVec<Text<'a>> = texts("hosts");
        secret_name: Option<Text<'a>> = text("secretName");
    }
    /// The paths of a host.
    IngressRule<'a> {
        host: Option<Text<'a>> = text("host");
        http: Option<IngressHttp<'a>> = object("http", IngressHttp::decode);
    }
    /// The paths of a host.
    IngressHttp<'a> {
        paths: ThinVec<IngressPath<'a>> = list("paths", IngressPath::decode);
    }
    /// A path.
    IngressPath<'a> {
        path: Option<Text<'a>> = text("path");
        path_type: Option<Text<'a>> = text("pathType");
        backend: Option<IngressBackend<'a>> = object("backend", IngressBackend::decode);
    }
    /// Where a path leads.
    IngressBackend<'a> {
        service: Option<IngressService<'a>> = object("service", IngressService::decode);
    }
    /// A Service of an `Ingress`.
    IngressService<'a> {
        name: Option<Text<'a>> = text("name");
        port: Option<IngressPort<'a>> = object("port", IngressPort::decode);
    }
    /// A port by name or number.
    IngressPort<'a> {
        name: Option<Text<'a>> = text("name");
        number: Option<Spanned<i64>> = number("number");
    }
    /// A `MutatingWebhookConfiguration` or `ValidatingWebhookConfiguration`; its fields stand beside `metadata`.
    WebhookConfiguration<'a> {
        webhooks: ThinVec<Webhook<'a>> = list("webhooks", Webhook::decode);
    }
    /// One webhook.
    Webhook<'a> {
        name: Option<Text<'a>> = text("name");
        client_config: Option<Box<WebhookClient<'a>>> = boxed("clientConfig", WebhookClient::decode);
        namespace_selector: Option<LabelSelector<'a>> = object("namespaceSelector", LabelSelector::decode);
        object_selector: Option<LabelSelector<'a>> = object("objectSelector", LabelSelector::decode);
        failure_policy: Option<Text<'a>> = text("failurePolicy");
    }
    /// Whom the API server calls.
    WebhookClient<'a> {
        url: Option<Text<'a>> = text("url");
        service: Option<WebhookService<'a>> = object("service", WebhookService::decode);
    }
    /// A Service that answers a webhook.
    WebhookService<'a> {
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
        path: Option<Text<'a>> = text("path");
        port: Option<Spanned<i64>> = number("port");
    }
    /// A `CustomResourceDefinition`.
    CustomResourceDefinition<'a> {
        group: Option<Text<'a>> = text("group");
        scope: Option<Text<'a>> = text("scope");
        names: Option<CrdNames<'a>> = object("names", CrdNames::decode);
        versions: ThinVec<CrdVersion<'a>> = list("versions", CrdVersion::decode);
    }
    /// The names of a custom kind.
    CrdNames<'a> {
        kind: Option<Text<'a>> = text("kind");
        plural: Option<Text<'a>> = text("plural");
    }
    /// A version of a custom kind.
    CrdVersion<'a> {
        name: Option<Text<'a>> = text("name");
        served: Option<Spanned<bool>> = boolean("served");
        storage: Option<Spanned<bool>> = boolean("storage");
    }
}

impl<'a> Service<'a> {
    /// Reads a `Service` from the whole document.
    pub(super) fn decode_document(root: Fields<'_, 'a>) -> Option<Self> {
        let mut service = root.object("spec", Self::decode)?;
        let balancer = root.object("status", |status| {
            status.object("loadBalancer", |balancer| {
                balancer.list("ingress", LoadBalancerIngress::decode)
            })
        });
        service.ingress = balancer.flatten().unwrap_or_default();
        Some(service)
    }
}

/// A pod template, or a pod.
#[derive(Clone, Debug)]
pub struct PodTemplate<'a> {
    /// Labels and annotations of the pods.
    pub metadata: Option<TemplateMetadata<'a>>,
    /// What runs in them.
    pub spec: Option<PodSpec<'a>>,
}

impl<'a> PodTemplate<'a> {
    fn decode(fields: Fields<'_, 'a>) -> Self {
        let metadata = fields.object("metadata", TemplateMetadata::decode);
        Self {
            metadata,
            spec: fields.object("spec", PodSpec::decode),
        }
    }

    /// The value of a label of the pods.
    pub fn label(&self, key: &str) -> Option<&Text<'a>> {
        self.metadata.as_ref().and_then(|metadata| metadata.labels.get(key))
    }

    /// The value of an annotation of the pods.
    pub fn annotation(&self, key: &str) -> Option<&Text<'a>> {
        self.metadata
            .as_ref()
            .and_then(|metadata| metadata.annotations.get(key))
    }

    /// All containers, those that run first included.
    pub fn containers(&self) -> impl Iterator<Item = &Container<'a>> {
        self.spec
            .iter()
            .flat_map(|spec| spec.containers.iter().chain(&spec.init_containers))
    }
}

/// Anything that makes pods: `Deployment`, `StatefulSet`, `DaemonSet`, `ReplicaSet`, `Job`, `CronJob`, `Rollout`, `Pod`.
#[derive(Clone, Debug)]
pub struct Workload<'a> {
    /// How many pods; 1 where nothing says.
    pub replicas: Option<Spanned<i64>>,
    /// Which pods belong to it.
    pub selector: Option<LabelSelector<'a>>,
    /// The headless Service of a `StatefulSet`.
    pub service_name: Option<Text<'a>>,
    /// What its pods look like; `None` where it takes the template of another workload.
    pub template: Option<PodTemplate<'a>>,
}

impl<'a> Workload<'a> {
    /// Reads a kind whose template stands at `spec.template`.
    pub fn decode(fields: Fields<'_, 'a>) -> Self {
        Self {
            replicas: fields.number("replicas"),
            selector: fields.object("selector", LabelSelector::decode),
            service_name: fields.text("serviceName"),
            template: fields.object("template", PodTemplate::decode),
        }
    }

    /// Reads a `CronJob`.
    pub fn decode_cron_job(fields: Fields<'_, 'a>) -> Self {
        let job = fields
            .object("jobTemplate", |template| template.object("spec", Workload::decode))
            .flatten();
        job.unwrap_or(Self {
            replicas: None,
            selector: None,
            service_name: None,
            template: None,
        })
    }

    /// Reads a `Pod` from the whole document.
    pub fn decode_pod(fields: Fields<'_, 'a>) -> Self {
        Self {
            replicas: None,
            selector: None,
            service_name: None,
            template: Some(PodTemplate::decode(fields)),
        }
    }
}
