//! The table of secrets: their names, never what is in them.

use super::table::Table;
use crate::envoy::message::Str;

/// Secrets in the order of their names.
pub fn table(secrets: &[Str]) -> Table {
    let mut table = Table::new(&["RESOURCE NAME", "TYPE"]);
    for name in secrets {
        let kind = if is_authority(name) { "CA" } else { "Cert Chain" };
        table.row(vec![name.to_string(), kind.to_owned()]);
    }
    table.sort_by_key(|row| row[0].clone());
    table
}

fn is_authority(name: &str) -> bool {
    name == "ROOTCA" || name.starts_with("file-root:") || name.ends_with("-cacert")
}
