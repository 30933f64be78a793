//! What `SHOW FUNCTIONS` tells of the functions.

use datafusion::logical_expr::{DocSection, Documentation, DocumentationBuilder};

const CHESS: DocSection = DocSection {
    include: true,
    label: "Chess Functions",
    description: None,
};

/// The documentation of a function of these arguments, each with what it is.
pub(super) fn documentation(
    description: &str,
    syntax: &str,
    arguments: &[(&str, &str)],
) -> Documentation {
    let builder = Documentation::builder(CHESS, description, syntax);
    let with = |builder: DocumentationBuilder, &(name, what): &(&str, &str)| {
        builder.with_argument(name, what)
    };
    arguments.iter().fold(builder, with).build()
}
