//! `networking.istio.io` `ProxyConfig`.

use super::WorkloadSelector;
use crate::model::record::record;
use crate::model::{Labels, Spanned, Text};

record! {
    /// Settings of a proxy.
    ProxyConfig<'a> {
        selector: Option<Box<WorkloadSelector<'a>>> = boxed("selector", WorkloadSelector::decode);
        concurrency: Option<Spanned<i64>> = number("concurrency");
        environment_variables: Labels<'a> = labels("environmentVariables");
        image: Option<Box<ProxyImage<'a>>> = boxed("image", ProxyImage::decode);
    }
    /// Variant of the proxy's image.
    ProxyImage<'a> {
        image_type: Option<Text<'a>> = text("imageType");
    }
}
