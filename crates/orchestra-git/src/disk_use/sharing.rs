//! Data that files share without a link between them: what a copy by reflink has until one of both is changed.

#[cfg(not(target_os = "linux"))]
mod elsewhere;
#[cfg(target_os = "linux")]
mod linux;

#[cfg(not(target_os = "linux"))]
pub(super) use elsewhere::Sharing;
#[cfg(target_os = "linux")]
pub(super) use linux::Sharing;
