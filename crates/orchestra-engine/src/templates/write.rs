//! Saving, editing, importing and deleting templates of the user. A file is there as a whole or not at all.

use std::fs;
use std::io;
use std::path::{Path, PathBuf};

use orchestra_config::{SameName, write_whole};
use orchestra_core::{EventBody, Template, TemplateName};

use super::{ENDING, StoredTemplate, TemplateError, TemplateOrigin, file};
use crate::create::{require_mode, require_model};
use crate::{Engine, EngineError};

const EDITED: &str = "TEMPLATE.toml";

/// What came of editing a template.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum EditedTemplate {
    /// It was saved.
    Saved(Box<StoredTemplate>),
    /// The editor left it as it was.
    Unchanged,
}

impl Engine {
    /// Saves a template under a name.
    ///
    /// # Errors
    /// If it says nothing, its agent is unknown, a secret stands in its script, or the name is taken.
    pub fn save_template(
        &self,
        name: &TemplateName,
        template: &Template,
        same_name: SameName,
    ) -> Result<StoredTemplate, EngineError> {
        if *template == Template::default() {
            return Err(TemplateError::Empty.into());
        }
        require_model(template.model.as_deref())?;
        require_mode(template.runtime.mode.as_deref())?;
        let text = file::write(template)?;
        self.keep_template(self.read_own(name, &text)?, same_name)
    }

    /// What a file says as a template of the user, before it is saved as one. Problems name that file.
    ///
    /// # Errors
    /// If it is no template, its agent is unknown, or a secret stands in its script.
    pub fn read_template(
        &self,
        name: &TemplateName,
        source: &Path,
        text: &str,
    ) -> Result<StoredTemplate, EngineError> {
        let script = file::parse(source, text)?.0.script;
        self.require_plain_script(script.as_deref())?;
        let text = self.redact(text);
        let (template, unknown_keys) = file::parse(source, &text)?;
        if let Some(agent) = &template.agent {
            self.agent_named(agent)?;
        }
        Ok(StoredTemplate {
            name: name.clone(),
            origin: TemplateOrigin::User,
            file: self.own_template_file(name),
            text,
            template,
            unknown_keys,
        })
    }

    /// Saves what [`Engine::read_template`] read, word for word.
    ///
    /// # Errors
    /// If the name is taken, or it cannot be written.
    pub fn import_template(
        &self,
        read: StoredTemplate,
        same_name: SameName,
    ) -> Result<StoredTemplate, EngineError> {
        self.keep_template(read, same_name)
    }

    /// Lets the user change a template in an editor. It is saved only if it can be used then; else the text is kept.
    ///
    /// # Errors
    /// If it is not the user's own, the editor fails, or what it leaves is no template.
    pub fn edit_template(
        &self,
        name: &TemplateName,
        root: Option<&Path>,
    ) -> Result<EditedTemplate, EngineError> {
        let (_, before) = self.own_template(name, root)?;
        let text = self.write_in_editor(EDITED, &before)?;
        if text == before {
            return Ok(EditedTemplate::Unchanged);
        }
        let saved = self
            .read_own(name, &text)
            .and_then(|read| self.keep_template(read, SameName::Replace));
        match saved {
            Ok(saved) => Ok(EditedTemplate::Saved(Box::new(saved))),
            Err(error) => Err(self.not_saved(name, &text, &error)?),
        }
    }

    /// Deletes a template of the user.
    ///
    /// # Errors
    /// If there is none, or it is part of a repository.
    pub fn delete_template(
        &self,
        name: &TemplateName,
        root: Option<&Path>,
    ) -> Result<(), EngineError> {
        let (file, _) = self.own_template(name, root)?;
        fs::remove_file(&file)
            .map_err(|source| EngineError::io(format!("remove {}", file.display()), source))?;
        self.tell(&EventBody::TemplateDeleted {
            template: name.clone(),
        })
    }

    /// File and text of a template if it is the user's own, whether or not it can be used.
    ///
    /// # Errors
    /// If there is none, or it is part of a repository.
    pub fn own_template(
        &self,
        name: &TemplateName,
        root: Option<&Path>,
    ) -> Result<(PathBuf, String), EngineError> {
        if let Some(found) = self.own_template_place().find(name)? {
            return Ok(found);
        }
        let name = name.clone();
        let file = self.template(&name, root)?.file;
        Err(TemplateError::OfRepository { name, file }.into())
    }

    /// What somebody typed is not lost with a template that cannot be used.
    fn not_saved(
        &self,
        name: &TemplateName,
        text: &str,
        error: &EngineError,
    ) -> Result<EngineError, EngineError> {
        let kept = self.keep_text(text, ENDING)?;
        let why = crate::chain::text(error);
        Ok(EngineError::Invalid {
            problem: format!("the template `{name}` was not changed: {why}"),
            way_out: Some(format!(
                "your text is kept; correct it and take it: orchestra template import '{}' --name {name} --replace",
                kept.display()
            )),
        })
    }

    /// What a template of the user would say.
    fn read_own(&self, name: &TemplateName, text: &str) -> Result<StoredTemplate, EngineError> {
        self.read_template(name, &self.own_template_file(name), text)
    }

    fn own_template_file(&self, name: &TemplateName) -> PathBuf {
        self.dirs.templates().join(format!("{name}.{ENDING}"))
    }

    fn keep_template(
        &self,
        read: StoredTemplate,
        same_name: SameName,
    ) -> Result<StoredTemplate, EngineError> {
        self.create_private_dir(&self.dirs.templates())?;
        write_whole(&read.file, &read.text, same_name).map_err(|source| match source.kind() {
            io::ErrorKind::AlreadyExists => TemplateError::Exists(read.name.clone()).into(),
            _ => EngineError::io(format!("write {}", read.file.display()), source),
        })?;
        self.tell(&EventBody::TemplateSaved {
            template: read.name.clone(),
        })?;
        Ok(read)
    }

    fn tell(&self, body: &EventBody) -> Result<(), EngineError> {
        self.write_stream(|tx| {
            tx.append_event(None, body)?;
            Ok(())
        })
    }
}
