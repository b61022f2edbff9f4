use crate::findings::{Findings, Severity};
use crate::mesh::Mesh;
use crate::model::istio::VirtualService;
use crate::rules::{Check, Fixes, Rule};

pub const RULE: Rule = Rule {
    id: "claim-match-in-mesh",
    page: include_str!("../../../rules/claim-match-in-mesh.md"),
    severity: Severity::Error,
    fixes: Fixes::Never,
    since: "0.1.0",
    aliases: &["IST0106"],
    check: Check::Mesh(check),
};

fn check(mesh: &Mesh<'_>, findings: &mut Findings) {
    for virtual_service in mesh.all::<VirtualService<'_>>() {
        if !virtual_service.surely_in_mesh(virtual_service.header) {
            continue;
        }
        let matches = virtual_service.http.iter().flat_map(|route| &route.matches);
        let names = matches.flat_map(|entry| entry.headers.iter().chain(&entry.without_headers));
        for (name, _) in names.filter(|(name, _)| is_claim(name)) {
            let finding = findings.add(name, format!("`{name}` can only be matched at gateways"));
            finding.help("istiod's webhook refuses the VirtualService: only gateways route by claims of a token; name the gateways that it is for, without `mesh`");
            match virtual_service
                .gateways
                .iter()
                .find(|gateway| gateway.as_str() == "mesh")
            {
                Some(mesh) => finding.related(mesh, "sidecars use it as well"),
                None => finding.related(virtual_service.header.name, "names no gateway, and so is for sidecars"),
            };
        }
    }
}

/// Names of claims are told from headers by how they begin; letter case does not count there.
fn is_claim(name: &str) -> bool {
    const START: &str = "@request.auth.claims";
    name.split_at_checked(START.len())
        .is_some_and(|(start, rest)| start.eq_ignore_ascii_case(START) && rest.starts_with(['.', '[']))
}
