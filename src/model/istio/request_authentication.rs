//! `security.istio.io` `RequestAuthentication`.

use super::{PolicyTargetReference, WorkloadSelector};
use thin_vec::ThinVec;

use crate::model::record::record;
use crate::model::{Spanned, Text};
use crate::source::Span;

record! {
    /// Accepted tokens and the workloads that check them.
    RequestAuthentication<'a> {
        selector: Option<Box<WorkloadSelector<'a>>> = boxed("selector", WorkloadSelector::decode);
        target_ref: Option<Box<PolicyTargetReference<'a>>> = boxed("targetRef", PolicyTargetReference::decode);
        target_refs: ThinVec<PolicyTargetReference<'a>> = list("targetRefs", PolicyTargetReference::decode);
        target_refs_key: Option<Span> = key("targetRefs");
        jwt_rules: ThinVec<JwtRule<'a>> = list("jwtRules", JwtRule::decode);
    }
    /// How tokens of one issuer are found and checked.
    JwtRule<'a> {
        issuer: Option<Text<'a>> = text("issuer");
        audiences: ThinVec<Text<'a>> = texts("audiences");
        jwks_uri: Option<Text<'a>> = text("jwksUri");
        old_jwks_uri: Option<Text<'a>> = text("jwks_uri");
        jwks: Option<Text<'a>> = text("jwks");
        from_headers: ThinVec<JwtHeader<'a>> = list("fromHeaders", JwtHeader::decode);
        from_params: ThinVec<Text<'a>> = texts("fromParams");
        output_payload_to_header: Option<Text<'a>> = text("outputPayloadToHeader");
        from_cookies: ThinVec<Text<'a>> = texts("fromCookies");
        forward_original_token: Option<Spanned<bool>> = boolean("forwardOriginalToken");
        output_claim_to_headers: ThinVec<ClaimToHeader<'a>> = list("outputClaimToHeaders", ClaimToHeader::decode);
        timeout: Option<Text<'a>> = text("timeout");
        space_delimited_claims: ThinVec<Text<'a>> = texts("spaceDelimitedClaims");
        presence: Option<Text<'a>> = text("presence");
        lacks_issuer: bool = lacks(&["issuer", "jwksUri", "jwks_uri"]);
    }
    /// A header that holds a token.
    JwtHeader<'a> {
        name: Option<Text<'a>> = text("name");
        prefix: Option<Text<'a>> = text("prefix");
    }
    /// A claim copied to a header.
    ClaimToHeader<'a> {
        header: Option<Text<'a>> = text("header");
        claim: Option<Text<'a>> = text("claim");
    }
}
