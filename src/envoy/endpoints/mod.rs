//! Endpoints: who answers for a cluster, and in which order of preference.

mod assignment;
mod mark;
mod networks;
mod preference;
mod priorities;
mod reach;
mod tunnel;

pub use assignment::assignment;
pub use networks::Networks;
pub use preference::Preference;
pub use reach::ClusterLocal;
