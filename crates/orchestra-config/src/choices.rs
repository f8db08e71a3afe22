//! Settings that take one of a few words.

/// Declares an enum whose variants are written as one word each.
macro_rules! choice {
    ($(#[$doc:meta])* $name:ident { $($(#[$variant_doc:meta])* $variant:ident = $word:literal,)+ }) => {
        $(#[$doc])*
        #[derive(Debug, Clone, Copy, PartialEq, Eq)]
        pub enum $name { $($(#[$variant_doc])* $variant,)+ }

        impl $name {
            /// The words, in the order of the variants.
            pub const WORDS: &'static [&'static str] = &[$($word),+];

            /// The word for this choice.
            #[must_use]
            pub fn as_str(self) -> &'static str {
                match self { $(Self::$variant => $word,)+ }
            }

            pub(crate) fn from_word(word: &str) -> Option<Self> {
                match word { $($word => Some(Self::$variant),)+ _ => None }
            }
        }
    };
}

choice! {
    /// What happens to changes a person left in the worktree before an iteration.
    HumanChanges {
        /// They get a commit of their own before the agent starts.
        Commit = "commit",
        /// They stay uncommitted and out of the agent's commit.
        Keep = "keep",
    }
}

choice! {
    /// When terminal output has colour.
    ColorChoice {
        /// On a terminal that can show it.
        Auto = "auto",
        /// Always.
        Always = "always",
        /// Never.
        Never = "never",
    }
}

choice! {
    /// What happens to a new session when the disk quota is used up.
    OverQuota {
        /// It is made, with a warning.
        Warn = "warn",
        /// It is not made.
        Refuse = "refuse",
    }
}

choice! {
    /// The look of graphical faces.
    Theme {
        /// As the system says.
        Auto = "auto",
        /// Dark on light.
        Light = "light",
        /// Light on dark.
        Dark = "dark",
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_word_reads_back() {
        for word in HumanChanges::WORDS {
            assert_eq!(HumanChanges::from_word(word).unwrap().as_str(), *word);
        }
        assert_eq!(ColorChoice::from_word("never"), Some(ColorChoice::Never));
        assert_eq!(Theme::from_word("Dark"), None);
    }
}
