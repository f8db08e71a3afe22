//! The tray: programs register an icon whose menu lives on the bus.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use zbus::Message;
use zbus::blocking::Connection;
use zbus::message::Header;
use zbus::zvariant::{DynamicType, OwnedObjectPath, OwnedValue, Structure, Value};
use zbus::{fdo, interface};

pub(super) const WATCHER: &str = "org.kde.StatusNotifierWatcher";
pub(super) const WATCHER_PATH: &str = "/StatusNotifierWatcher";
const ITEM: &str = "org.kde.StatusNotifierItem";
const ITEM_PATH: &str = "/StatusNotifierItem";
const MENU: &str = "com.canonical.dbusmenu";

/// The icon that was registered last: whose it is, and where.
#[derive(Debug, Clone, Default)]
pub(super) struct Tray {
    icon: Arc<Mutex<Option<(String, String)>>>,
}

/// An entry: its number, what it shows and has, and what is below it.
type Layout = (i32, HashMap<String, OwnedValue>, Vec<OwnedValue>);

impl Tray {
    /// What the entries of the menu say.
    pub(super) fn entries(&self, connection: &Connection) -> zbus::Result<Vec<String>> {
        let entries = self.menu(connection)?.entries(connection)?;
        Ok(entries.into_iter().map(|(_, label)| label).collect())
    }

    /// Clicks the entry that says this.
    pub(super) fn choose(&self, connection: &Connection, wanted: &str) -> zbus::Result<()> {
        let menu = self.menu(connection)?;
        let entries = menu.entries(connection)?;
        let found = entries.into_iter().find(|(_, label)| label == wanted);
        let (id, _) = found.ok_or_else(|| failure(&format!("no entry says `{wanted}`")))?;
        let click = (id, "clicked", Value::from(0_i32), 0_u32);
        menu.ask(connection, "Event", &click).map(drop)
    }

    fn menu(&self, connection: &Connection) -> zbus::Result<Menu> {
        let icon = self.icon.lock().unwrap_or_else(PoisonError::into_inner);
        let (owner, path) = icon.clone().ok_or_else(|| failure("there is no icon"))?;
        let question = (ITEM, "Menu");
        let told = connection.call_method(
            Some(owner.as_str()),
            path,
            Some("org.freedesktop.DBus.Properties"),
            "Get",
            &question,
        )?;
        let told: OwnedValue = told.body().deserialize()?;
        let path = OwnedObjectPath::try_from(told)?;
        Ok(Menu { owner, path })
    }
}

/// Whose menu it is, and where.
struct Menu {
    owner: String,
    path: OwnedObjectPath,
}

impl Menu {
    fn entries(&self, connection: &Connection) -> zbus::Result<Vec<(i32, String)>> {
        let question = (0_i32, -1_i32, Vec::<&str>::new());
        let told = self.ask(connection, "GetLayout", &question)?;
        let (_, top): (u32, Layout) = told.body().deserialize()?;
        Ok(top.2.into_iter().filter_map(entry).collect())
    }

    fn ask<Body>(&self, connection: &Connection, what: &str, body: &Body) -> zbus::Result<Message>
    where
        Body: serde::Serialize + DynamicType,
    {
        let owner = Some(self.owner.as_str());
        connection.call_method(owner, &self.path, Some(MENU), what, body)
    }
}

fn entry(value: OwnedValue) -> Option<(i32, String)> {
    let fields = Structure::try_from(value).ok()?;
    let [id, properties, ..] = fields.fields() else {
        return None;
    };
    let id = i32::try_from(id).ok()?;
    let properties: HashMap<String, OwnedValue> = properties.try_clone().ok()?.try_into().ok()?;
    let label: String = properties.get("label")?.try_clone().ok()?.try_into().ok()?;
    Some((id, label.replace('_', "")))
}

fn failure(why: &str) -> zbus::Error {
    zbus::Error::Failure(why.to_owned())
}

/// `org.kde.StatusNotifierWatcher`.
#[derive(Debug)]
pub(super) struct Watcher {
    tray: Tray,
}

impl Watcher {
    pub(super) const fn new(tray: Tray) -> Self {
        Self { tray }
    }
}

#[interface(name = "org.kde.StatusNotifierWatcher")]
impl Watcher {
    /// Programs give their name on the bus, or where their icon is.
    #[expect(
        clippy::needless_pass_by_value,
        reason = "the bus hands over what came with the message"
    )]
    fn register_status_notifier_item(
        &self,
        service: &str,
        #[zbus(header)] header: Header<'_>,
    ) -> fdo::Result<()> {
        let sender = header.sender().map(ToString::to_string).unwrap_or_default();
        let icon = match service.starts_with('/') {
            true => (sender, service.to_owned()),
            false => (service.to_owned(), ITEM_PATH.to_owned()),
        };
        let mut kept = self
            .tray
            .icon
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        *kept = Some(icon);
        Ok(())
    }

    fn register_status_notifier_host(&self, _service: &str) {}

    #[zbus(property)]
    fn is_status_notifier_host_registered(&self) -> bool {
        true
    }

    #[zbus(property)]
    fn protocol_version(&self) -> i32 {
        0
    }

    #[zbus(property)]
    fn registered_status_notifier_items(&self) -> Vec<String> {
        let icon = self
            .tray
            .icon
            .lock()
            .unwrap_or_else(PoisonError::into_inner);
        icon.iter()
            .map(|(owner, path)| format!("{owner}{path}"))
            .collect()
    }
}
