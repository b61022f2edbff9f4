//! `networking.istio.io` `WorkloadEntry`.

use crate::model::record::record;
use crate::model::{Labels, Spanned, Text, Value};

record! {
    /// One workload with its address.
    WorkloadEntry<'a> {
        address: Option<Text<'a>> = text("address");
        ports: Option<Spanned<Value<'a>>> = value("ports");
        labels: Labels<'a> = labels("labels");
        network: Option<Text<'a>> = text("network");
        locality: Option<Text<'a>> = text("locality");
        weight: Option<Spanned<i64>> = number("weight");
        service_account: Option<Text<'a>> = text("serviceAccount");
    }
}
