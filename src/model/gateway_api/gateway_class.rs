//! `gateway.networking.k8s.io` `GatewayClass`.

use crate::model::Text;
use crate::model::record::record;

record! {
    /// Controller and its settings.
    GatewayClassSpec<'a> {
        controller_name: Option<Text<'a>> = text("controllerName");
        description: Option<Text<'a>> = text("description");
        parameters_ref: Option<Box<ParametersReference<'a>>> = boxed("parametersRef", ParametersReference::decode);
    }
    /// Object with settings.
    ParametersReference<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        namespace: Option<Text<'a>> = text("namespace");
    }
}
