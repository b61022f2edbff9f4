//! `security.istio.io` `AuthorizationPolicy`.

use super::{PolicyTargetReference, WorkloadSelector};
use crate::model::Text;
use crate::source::Span;
use thin_vec::ThinVec;

use crate::model::record::record;

record! {
    /// Who may do what to which workloads.
    AuthorizationPolicy<'a> {
        selector: Option<WorkloadSelector<'a>> = object("selector", WorkloadSelector::decode);
        target_ref: Option<Box<PolicyTargetReference<'a>>> = boxed("targetRef", PolicyTargetReference::decode);
        target_refs: ThinVec<PolicyTargetReference<'a>> = list("targetRefs", PolicyTargetReference::decode);
        target_refs_key: Option<Span> = key("targetRefs");
        rules: ThinVec<Rule<'a>> = list("rules", Rule::decode);
        lacks_rules: bool = lacks(&["rules"]);
        action: Option<Text<'a>> = text("action");
        provider: Option<Box<ExtensionProvider<'a>>> = boxed("provider", ExtensionProvider::decode);
        lacks_provider: bool = lacks(&["provider"]);
    }
    /// One set of sources, operations and conditions; a request must match one of each.
    Rule<'a> {
        from: ThinVec<From<'a>> = list("from", From::decode);
        to: ThinVec<To<'a>> = list("to", To::decode);
        when: ThinVec<Condition<'a>> = list("when", Condition::decode);
    }
    /// Where a request comes from.
    From<'a> {
        source: Option<Source<'a>> = object("source", Source::decode);
        lacks_source: bool = lacks(&["source"]);
    }
    /// Properties of the caller; all that are given must hold.
    Source<'a> {
        principals: ThinVec<Text<'a>> = texts("principals");
        not_principals: ThinVec<Text<'a>> = texts("notPrincipals");
        request_principals: ThinVec<Text<'a>> = texts("requestPrincipals");
        not_request_principals: ThinVec<Text<'a>> = texts("notRequestPrincipals");
        namespaces: ThinVec<Text<'a>> = texts("namespaces");
        not_namespaces: ThinVec<Text<'a>> = texts("notNamespaces");
        service_accounts: ThinVec<Text<'a>> = texts("serviceAccounts");
        not_service_accounts: ThinVec<Text<'a>> = texts("notServiceAccounts");
        trust_domains: ThinVec<Text<'a>> = texts("trustDomains");
        not_trust_domains: ThinVec<Text<'a>> = texts("notTrustDomains");
        ip_blocks: ThinVec<Text<'a>> = texts("ipBlocks");
        not_ip_blocks: ThinVec<Text<'a>> = texts("notIpBlocks");
        remote_ip_blocks: ThinVec<Text<'a>> = texts("remoteIpBlocks");
        not_remote_ip_blocks: ThinVec<Text<'a>> = texts("notRemoteIpBlocks");
    }
    /// What a request wants.
    To<'a> {
        operation: Option<Operation<'a>> = object("operation", Operation::decode);
        lacks_operation: bool = lacks(&["operation"]);
    }
    /// Properties of the request; all that are given must hold.
    Operation<'a> {
        hosts: ThinVec<Text<'a>> = texts("hosts");
        not_hosts: ThinVec<Text<'a>> = texts("notHosts");
        ports: ThinVec<Text<'a>> = texts("ports");
        not_ports: ThinVec<Text<'a>> = texts("notPorts");
        methods: ThinVec<Text<'a>> = texts("methods");
        not_methods: ThinVec<Text<'a>> = texts("notMethods");
        paths: ThinVec<Text<'a>> = texts("paths");
        not_paths: ThinVec<Text<'a>> = texts("notPaths");
    }
    /// A further condition on an attribute.
    Condition<'a> {
        key: Option<Text<'a>> = text("key");
        values: ThinVec<Text<'a>> = texts("values");
        not_values: ThinVec<Text<'a>> = texts("notValues");
        lacks_values: bool = lacks(&["values", "notValues"]);
    }
    /// The external authorizer of a CUSTOM policy.
    ExtensionProvider<'a> {
        name: Option<Text<'a>> = text("name");
    }
}

impl<'a> AuthorizationPolicy<'a> {
    /// What it does with a request that matches, ALLOW where it does not say. Anything else than the four actions is none.
    pub fn action(&self) -> Option<Action> {
        match self.action.as_ref().map(Text::as_str) {
            None | Some("ALLOW") => Some(Action::Allow),
            Some("DENY") => Some(Action::Deny),
            Some("AUDIT") => Some(Action::Audit),
            Some("CUSTOM") => Some(Action::Custom),
            Some(_) => None,
        }
    }

    /// The sources of all rules.
    pub fn sources(&self) -> impl Iterator<Item = &Source<'a>> {
        let from = self.rules.iter().flat_map(|rule| &rule.from);
        from.filter_map(|from| from.source.as_ref())
    }

    /// The operations of all rules.
    pub fn operations(&self) -> impl Iterator<Item = &Operation<'a>> {
        let to = self.rules.iter().flat_map(|rule| &rule.to);
        to.filter_map(|to| to.operation.as_ref())
    }

    /// The conditions of all rules.
    pub fn conditions(&self) -> impl Iterator<Item = &Condition<'a>> {
        self.rules.iter().flat_map(|rule| &rule.when)
    }
}

impl<'a> Rule<'a> {
    /// An attribute that only HTTP has, of any part.
    pub fn http_attribute(&self) -> Option<&Text<'a>> {
        let mut operations = self.to.iter().filter_map(|to| to.operation.as_ref());
        self.http_attribute_elsewhere()
            .or_else(|| operations.find_map(Operation::http_attribute))
    }

    /// An attribute of the source or of a condition that only HTTP has.
    pub fn http_attribute_elsewhere(&self) -> Option<&Text<'a>> {
        let keys = self.when.iter().filter_map(|condition| condition.key.as_ref());
        let mut sources = self.from.iter().filter_map(|from| from.source.as_ref());
        keys.into_iter()
            .find(|key| key.starts_with("request."))
            .or_else(|| sources.find_map(Source::http_attribute))
    }

    /// The ports that a condition names.
    pub fn conditioned_ports(&self) -> impl Iterator<Item = &Text<'a>> {
        let of_ports = |condition: &&Condition<'a>| condition.key.is_some_and(|key| key.as_str() == "destination.port");
        self.when
            .iter()
            .filter(of_ports)
            .flat_map(|condition| &condition.values)
    }
}

impl<'a> Source<'a> {
    fn http_attribute(&self) -> Option<&Text<'a>> {
        let negative = self.not_request_principals.first();
        self.request_principals.first().or(negative)
    }
}

impl<'a> Operation<'a> {
    /// An attribute that only HTTP has.
    pub fn http_attribute(&self) -> Option<&Text<'a>> {
        let lists = [&self.methods, &self.paths, &self.hosts];
        let negative = [&self.not_methods, &self.not_paths, &self.not_hosts];
        lists.into_iter().chain(negative).find_map(|list| list.first())
    }
}

/// What a policy does with a request that matches.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Action {
    /// Lets it through.
    Allow,
    /// Refuses it.
    Deny,
    /// Marks it to be logged.
    Audit,
    /// Asks an external authorizer.
    Custom,
}
