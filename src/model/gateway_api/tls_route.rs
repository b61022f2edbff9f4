//! `gateway.networking.k8s.io` `TLSRoute`.

use super::{BackendRef, ParentReference};
use thin_vec::ThinVec;

use crate::model::Text;
use crate::model::record::record;

record! {
    /// Parents, server names and rules.
    TlsRouteSpec<'a> {
        hostnames: ThinVec<Text<'a>> = texts("hostnames");
        parent_refs: ThinVec<ParentReference<'a>> = list("parentRefs", ParentReference::decode);
        rules: ThinVec<TlsRouteRule<'a>> = list("rules", TlsRouteRule::decode);
        use_default_gateways: Option<Text<'a>> = text("useDefaultGateways");
    }
    /// Backends.
    TlsRouteRule<'a> {
        backend_refs: ThinVec<BackendRef<'a>> = list("backendRefs", BackendRef::decode);
        name: Option<Text<'a>> = text("name");
    }
}
