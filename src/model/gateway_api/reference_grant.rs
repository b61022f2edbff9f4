//! `gateway.networking.k8s.io` `ReferenceGrant`.

use thin_vec::ThinVec;

use crate::model::Text;
use crate::model::record::record;

record! {
    /// Who may refer to what.
    ReferenceGrantSpec<'a> {
        from: ThinVec<ReferenceGrantFrom<'a>> = list("from", ReferenceGrantFrom::decode);
        to: ThinVec<ReferenceGrantTo<'a>> = list("to", ReferenceGrantTo::decode);
    }
    /// A kind in a namespace that may refer.
    ReferenceGrantFrom<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        namespace: Option<Text<'a>> = text("namespace");
    }
    /// A kind that may be referred to.
    ReferenceGrantTo<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
    }
}
