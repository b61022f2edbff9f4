//! `gateway.networking.k8s.io` `TCPRoute`.

use super::{BackendRef, ParentReference};
use thin_vec::ThinVec;

use crate::model::Text;
use crate::model::record::record;

record! {
    /// Parents and rules.
    TcpRouteSpec<'a> {
        parent_refs: ThinVec<ParentReference<'a>> = list("parentRefs", ParentReference::decode);
        rules: ThinVec<TcpRouteRule<'a>> = list("rules", TcpRouteRule::decode);
        use_default_gateways: Option<Text<'a>> = text("useDefaultGateways");
    }
    /// Backends.
    TcpRouteRule<'a> {
        backend_refs: ThinVec<BackendRef<'a>> = list("backendRefs", BackendRef::decode);
        name: Option<Text<'a>> = text("name");
    }
}
