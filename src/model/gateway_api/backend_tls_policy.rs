//! `gateway.networking.k8s.io` `BackendTLSPolicy`.

use super::LocalObjectReference;
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Labels, Text};

record! {
    /// Targets and how their certificates are checked.
    BackendTlsPolicySpec<'a> {
        options: Labels<'a> = labels("options");
        target_refs: ThinVec<LocalPolicyTargetReferenceWithSectionName<'a>> = list("targetRefs", LocalPolicyTargetReferenceWithSectionName::decode);
        validation: Option<Box<BackendTlsPolicyValidation<'a>>> = boxed("validation", BackendTlsPolicyValidation::decode);
    }
    /// An object of the same namespace, or a part of it.
    LocalPolicyTargetReferenceWithSectionName<'a> {
        group: Option<Text<'a>> = text("group");
        kind: Option<Text<'a>> = text("kind");
        name: Option<Text<'a>> = text("name");
        section_name: Option<Text<'a>> = text("sectionName");
    }
    /// How the certificate of the backend is checked.
    BackendTlsPolicyValidation<'a> {
        ca_certificate_refs: ThinVec<LocalObjectReference<'a>> = list("caCertificateRefs", LocalObjectReference::decode);
        hostname: Option<Text<'a>> = text("hostname");
        subject_alt_names: ThinVec<SubjectAltName<'a>> = list("subjectAltNames", SubjectAltName::decode);
        well_known_ca_certificates: Option<Text<'a>> = text("wellKnownCACertificates");
    }
    /// A name in a certificate.
    SubjectAltName<'a> {
        hostname: Option<Text<'a>> = text("hostname");
        type_name: Option<Text<'a>> = text("type");
        uri: Option<Text<'a>> = text("uri");
    }
}
