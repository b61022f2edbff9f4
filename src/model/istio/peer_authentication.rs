//! `security.istio.io` `PeerAuthentication`.

use super::WorkloadSelector;
use thin_vec::ThinVec;

use crate::model::Text;
use crate::model::record::record;

record! {
    /// Mutual TLS of workloads, as a whole and by port.
    PeerAuthentication<'a> {
        selector: Option<Box<WorkloadSelector<'a>>> = boxed("selector", WorkloadSelector::decode);
        lacks_selector: bool = lacks(&["selector"]);
        mtls: Option<Box<MutualTls<'a>>> = boxed("mtls", MutualTls::decode);
        port_level_mtls: ThinVec<(Text<'a>, MutualTls<'a>)> = map("portLevelMtls", MutualTls::decode);
    }
    /// Mutual TLS setting.
    MutualTls<'a> {
        mode: Option<Text<'a>> = text("mode");
    }
}
