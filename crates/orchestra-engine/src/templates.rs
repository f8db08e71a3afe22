//! Templates: what new sessions begin with. Those of the user are files in the data directory, for the user alone; those of
//! a repository are part of it and only read.

mod error;
mod file;
mod write;

use std::path::{Path, PathBuf};

use orchestra_core::{RepositoryId, SessionId, Template, TemplateName};

pub use error::TemplateError;
pub use orchestra_config::SameName;
pub use write::EditedTemplate;

use crate::text_folder::TextFolder;
use crate::{CreateSession, Engine, EngineError, Permission, ProjectCommand};

/// Longer files are not templates.
const MAX_BYTES: u64 = 1 << 20;
const ENDING: &str = "toml";

/// Whose a template is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TemplateOrigin {
    /// The user's own.
    User,
    /// Part of a repository, so perhaps written by an agent.
    Repository,
}

/// A template and where it is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredTemplate {
    /// What it is called.
    pub name: TemplateName,
    /// Whose it is.
    pub origin: TemplateOrigin,
    /// Its file.
    pub file: PathBuf,
    /// What the file says.
    pub text: String,
    /// What that means.
    pub template: Template,
    /// Keys of the file that mean nothing.
    pub unknown_keys: Vec<String>,
}

/// Every template that can be used in a place.
#[derive(Debug, Clone, Default)]
pub struct TemplateListing {
    /// By name; the user's own before the repository's of the same name, which is not used then.
    pub templates: Vec<StoredTemplate>,
    /// Files that cannot be used, and why.
    pub damaged: Vec<(PathBuf, String)>,
}

impl TemplateOrigin {
    /// The word for programs.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::User => "user",
            Self::Repository => "repository",
        }
    }
}

impl StoredTemplate {
    /// What a new session does not get from it although it is there, for people.
    #[must_use]
    pub fn unused(&self) -> Vec<String> {
        let why = "is left out: the template is part of a repository, and only you say that";
        let (said, used) = (&self.template, self.usable());
        let (wishes, taken) = (&said.runtime, &used.runtime);
        let table = [
            (said.repository != used.repository, "repository"),
            (wishes.environment != taken.environment, "env"),
            (wishes.budget != taken.budget, "budget"),
            (wishes.isolation != taken.isolation, "isolation"),
            (wishes.toolboxes != taken.toolboxes, "toolbox"),
        ];
        let unused = table.into_iter().filter(|(is_unused, _)| *is_unused);
        unused
            .map(|(_, key)| format!("`{key}` of the template `{}` {why}", self.name))
            .chain(self.unknown())
            .collect()
    }

    /// What new sessions take from it. One that is part of a repository, where an agent could have written it, does not say
    /// what only the user's own settings do: where an agent finds its server, what it may use, how it is held. Toolboxes and
    /// MCP servers it names are the user's own, and no directories.
    #[must_use]
    pub fn usable(&self) -> Template {
        let mut template = self.template.clone();
        if self.origin == TemplateOrigin::User {
            return template;
        }
        let wishes = &mut template.runtime;
        (wishes.environment, wishes.budget, wishes.isolation) = (None, None, None);
        wishes
            .toolboxes
            .retain(|name| !Path::new(name).is_absolute());
        template.repository = None;
        template
    }

    /// What its file says to no effect, for people.
    #[must_use]
    pub fn unknown(&self) -> Vec<String> {
        let keys = self.unknown_keys.iter();
        keys.map(|key| format!("`{key}` in {} means nothing", self.file.display()))
            .collect()
    }

    /// The repository that it is for.
    #[must_use]
    pub fn repository(&self) -> Option<&Path> {
        match self.origin {
            TemplateOrigin::User => self.template.repository.as_deref(),
            TemplateOrigin::Repository => None,
        }
    }
}

impl CreateSession {
    /// The same, with what was left open taken from a template. The prompt, the repository and what a person must agree to
    /// are for the caller.
    #[must_use]
    pub fn or_template(self, template: &Template) -> Self {
        Self {
            base: self.base.or_else(|| template.base.clone()),
            script: self.script.or_else(|| template.script.clone()),
            model: self.model.or_else(|| template.model.clone()),
            agent: self.agent.or_else(|| template.agent.clone()),
            timeout: self.timeout.or(template.timeout),
            runtime: self.runtime.or(template.runtime.clone()),
            ..self
        }
    }
}

impl Engine {
    /// Every template that can be used: the user's, and those of the repository with this main checkout.
    ///
    /// # Errors
    /// If a folder cannot be read. A file that cannot be used is part of the answer.
    pub fn templates(&self, root: Option<&Path>) -> Result<TemplateListing, EngineError> {
        let mut listing = TemplateListing::default();
        for place in self.template_places(root) {
            for file in place.folder.files()? {
                match place.load_file(&file) {
                    Ok(Some(template)) => listing.templates.push(template),
                    Ok(None) => {}
                    Err(error) => listing.damaged.push((file, crate::chain::text(&error))),
                }
            }
        }
        listing
            .templates
            .sort_by(|one, other| one.name.cmp(&other.name));
        Ok(listing)
    }

    /// The template that a name means: the user's own, or else the repository's.
    ///
    /// # Errors
    /// If there is none, or it cannot be used.
    pub fn template(
        &self,
        name: &TemplateName,
        root: Option<&Path>,
    ) -> Result<StoredTemplate, EngineError> {
        for place in self.template_places(root) {
            if let Some(found) = place.load(name)? {
                return Ok(found);
            }
        }
        let known = self.templates(root)?.templates.into_iter();
        Err(TemplateError::NotFound {
            name: name.clone(),
            known: known.map(|template| template.name.to_string()).collect(),
        }
        .into())
    }

    /// The script that a template wants to run after each iteration. One of a repository must be allowed, as every command
    /// of a repository must.
    ///
    /// # Errors
    /// If the store cannot be read.
    pub fn template_script(
        &self,
        repository: Option<RepositoryId>,
        stored: &StoredTemplate,
    ) -> Result<Option<ProjectCommand>, EngineError> {
        let Some(command) = stored.template.script.clone() else {
            return Ok(None);
        };
        let setting = format!("templates.{}.script", stored.name);
        let permission = match stored.origin {
            TemplateOrigin::User => Permission::Own,
            TemplateOrigin::Repository => self.permission_of(repository, &setting, &command)?,
        };
        Ok(Some(ProjectCommand {
            setting,
            command,
            permission,
        }))
    }

    /// The scripts of the templates that are part of the repository with this main checkout.
    ///
    /// # Errors
    /// If a folder or the store cannot be read.
    pub fn template_scripts(
        &self,
        repository: Option<RepositoryId>,
        root: &Path,
    ) -> Result<Vec<ProjectCommand>, EngineError> {
        let templates = self.templates(Some(root))?.templates.into_iter();
        let theirs = templates.filter(|it| it.origin == TemplateOrigin::Repository);
        let scripts: Result<Vec<_>, _> = theirs
            .map(|template| self.template_script(repository, &template))
            .collect();
        Ok(scripts?.into_iter().flatten().collect())
    }

    /// What a session began with, as a template.
    ///
    /// # Errors
    /// If there is no such session.
    pub fn template_of(&self, id: &SessionId) -> Result<Template, EngineError> {
        let view = self.session(id)?;
        let session = view.session;
        Ok(Template {
            prompt: Some(session.prompt),
            repository: Some(view.repository.root),
            base: Some(session.base_branch),
            script: session.script,
            model: session.model,
            agent: Some(session.agent),
            timeout: session.timeout,
            runtime: session.runtime,
            ..Template::default()
        })
    }

    fn template_places(&self, root: Option<&Path>) -> Vec<Place> {
        let theirs = root.map(|root| Place {
            origin: TemplateOrigin::Repository,
            folder: folder(
                orchestra_config::dirs::repository_templates(root),
                Some(root.to_owned()),
            ),
        });
        let own = Some(self.own_template_place());
        [own, theirs].into_iter().flatten().collect()
    }

    fn own_template_place(&self) -> Place {
        Place {
            origin: TemplateOrigin::User,
            folder: folder(self.dirs.templates(), None),
        }
    }
}

/// A folder of templates.
struct Place {
    origin: TemplateOrigin,
    folder: TextFolder,
}

const fn folder(path: PathBuf, within: Option<PathBuf>) -> TextFolder {
    TextFolder {
        path,
        within,
        ending: ENDING,
        max_bytes: MAX_BYTES,
    }
}

impl Place {
    fn load_file(&self, file: &Path) -> Result<Option<StoredTemplate>, EngineError> {
        let stem = file.file_stem().unwrap_or_default().to_string_lossy();
        let name = stem.parse().map_err(TemplateError::Name)?;
        self.load(&name)
    }

    /// `None`: there is no such file.
    fn load(&self, name: &TemplateName) -> Result<Option<StoredTemplate>, EngineError> {
        let Some((file, text)) = self.find(name)? else {
            return Ok(None);
        };
        let (template, unknown_keys) = file::parse(&file, &text)?;
        Ok(Some(StoredTemplate {
            name: name.clone(),
            origin: self.origin,
            file,
            text,
            template,
            unknown_keys,
        }))
    }

    /// File and text of a template.
    fn find(&self, name: &TemplateName) -> Result<Option<(PathBuf, String)>, EngineError> {
        self.folder.find(name.as_str())
    }
}
