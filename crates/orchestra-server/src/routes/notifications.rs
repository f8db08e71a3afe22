//! Notifications: events that deserve one, and who shows it.

use axum::extract::State;
use orchestra_api::{ClaimAnswer, Notification, NotificationList};
use serde::Deserialize;
use utoipa::IntoParams;
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::answer::{Answer, answer};
use crate::desk::Desk;
use crate::document::Failures;
use crate::error::ApiError;
use crate::extract::{Path, Query, within};

/// The most events that are looked at for one answer.
const PAGE: u32 = 200;

pub(crate) fn routes() -> OpenApiRouter<Desk> {
    OpenApiRouter::new()
        .routes(routes!(list_notifications))
        .routes(routes!(claim_notification))
}

/// Which part of the log is meant.
#[derive(Debug, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
#[serde(deny_unknown_fields)]
struct Part {
    /// Only events after this number.
    #[serde(default)]
    after: u64,
    /// At most this many.
    #[param(minimum = 1, maximum = 200)]
    limit: Option<u32>,
}

/// List events that deserve a notification, with what it says
#[utoipa::path(
    get, path = "/notifications", tag = "notifications", params(Part),
    responses((status = 200, body = NotificationList), Failures),
)]
async fn list_notifications(
    State(desk): State<Desk>,
    Query(part): Query<Part>,
) -> Answer<NotificationList> {
    let limit = within("limit", part.limit, PAGE, 1..=PAGE)?;
    let look = desk.look(move |engine| {
        let seq = engine.last_seq()?;
        let (found, last) = engine.notifications_after(part.after, limit)?;
        Ok(NotificationList {
            epoch: engine.epoch()?,
            seq,
            is_wanted: engine.settings().settings.ui.notifications,
            next: last.unwrap_or(seq).max(part.after),
            notifications: found.into_iter().map(wire).collect(),
        })
    });
    answer(look.await?)
}

/// Claim the notification of an event, so that one face shows it
///
/// Whoever gets `claimed` shows it. Nobody does if the user wants none.
#[utoipa::path(
    post, path = "/notifications/{event}/claim", tag = "notifications",
    params(("event" = u64, Path, description = "The event's number")),
    responses((status = 200, body = ClaimAnswer), Failures),
)]
async fn claim_notification(
    State(desk): State<Desk>,
    Path(event): Path<u64>,
) -> Answer<ClaimAnswer> {
    let act = desk.look(move |engine| {
        let found = engine.find_notification(event)?.ok_or_else(|| {
            ApiError::not_found(
                "notification.not_found",
                format!("the event {event} deserves no notification"),
                "`list_notifications` shows those that do",
            )
        })?;
        let claimed = engine.claim_notification(event)?;
        Ok(ClaimAnswer {
            claimed,
            notification: Notification {
                is_claimed: found.is_claimed || claimed,
                ..wire(found)
            },
        })
    });
    answer(act.await?)
}

fn wire(found: orchestra_engine::Notification) -> Notification {
    Notification {
        event: found.event,
        at: found.at,
        session_id: found.session,
        kind: found.kind,
        title: found.notice.title,
        body: found.notice.body,
        is_claimed: found.is_claimed,
    }
}
