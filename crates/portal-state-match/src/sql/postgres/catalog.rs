//! The catalog entry of a resource in PostgreSQL: by its name on the search path, or as `schema.table`.

use candor_check::Obstacle;
use tokio_postgres::types::Type;
use tokio_postgres::{Client, Error};

use super::{Postgres, kind};
use crate::sql::clause::quoted;
use crate::sql::engine::{Column, Described, Table};
use crate::sql::trouble::{Reach, Trouble};

/// Tables, partitioned tables, views, materialized views and foreign tables by their name, or by their schema's and theirs.
const FIND: &str = "\
    SELECT c.oid, n.nspname::text, c.relname::text, c.relname = $1, pg_catalog.pg_table_is_visible(c.oid), \
    pg_catalog.has_schema_privilege(n.oid, 'USAGE'), pg_catalog.has_table_privilege(c.oid, 'SELECT') \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') AND (c.relname = $1 OR n.nspname || '.' || c.relname = $1) \
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)'";

const KEY: &str = "\
    SELECT a.attname::text FROM pg_catalog.pg_index i \
    JOIN pg_catalog.pg_attribute a ON a.attrelid = i.indrelid AND a.attnum = ANY (i.indkey) \
    WHERE i.indrelid = $1 AND i.indisprimary ORDER BY pg_catalog.array_position(i.indkey::int2[], a.attnum)";

/// Everything that can be read, tables before views.
const OTHERS: &str = "\
    SELECT n.nspname::text, c.relname::text, pg_catalog.pg_table_is_visible(c.oid), c.relkind IN ('r', 'p'), \
    pg_catalog.has_schema_privilege(n.oid, 'USAGE') AND pg_catalog.has_table_privilege(c.oid, 'SELECT') \
    FROM pg_catalog.pg_class c JOIN pg_catalog.pg_namespace n ON n.oid = c.relnamespace \
    WHERE c.relkind IN ('r', 'p', 'v', 'm', 'f') \
    AND n.nspname NOT IN ('pg_catalog', 'information_schema') AND n.nspname !~ '^pg_(toast|temp)' \
    ORDER BY c.relkind IN ('r', 'p') DESC, 1, 2 LIMIT 500";

struct FoundTable {
    oid: u32,
    schema: String,
    name: String,
    by_name: bool,
    visible: bool,
    usable: bool,
    readable: bool,
}

impl Postgres {
    pub(super) fn wait_described(&mut self, resource: &str) -> Result<Described, Trouble> {
        let found = self.wait(found(&self.client, resource))?;
        let seen = |table: &&FoundTable| table.by_name && table.visible;
        let named = |table: &&FoundTable| !table.by_name && table.usable;
        let table = found.iter().find(seen).or_else(|| found.iter().find(named));
        let Some(table) = table else {
            // What the role may not look into is not what is not there.
            if let Some(hidden) = found.iter().find(|table| !table.usable) {
                return Err(denied("the schema", &hidden.schema));
            }
            return self.others();
        };
        if !table.readable {
            return Err(denied("the table", &table.name));
        }
        let sql = format!("{}.{}", quoted(&table.schema, '"'), quoted(&table.name, '"'));
        let statement = self.wait(self.client.prepare(&format!("SELECT * FROM {sql}")))?;
        let column = |column: &tokio_postgres::Column| Column {
            name: column.name().to_owned(),
            kind: kind::name(column.type_()),
        };
        let columns: Vec<Column> = statement.columns().iter().map(column).collect();
        let read = |column: &Column| kind::expression(&quoted(&column.name, '"'), &column.kind);
        let read: Vec<String> = columns.iter().map(read).collect();
        let key = self.wait(self.client.query(KEY, &[&table.oid]))?;
        let key = key.iter().map(|row| row.try_get(0)).collect::<Result<Vec<String>, Error>>();
        Ok(Described::There(Table {
            select: format!("SELECT {} FROM {sql}", read.join(", ")),
            name: if table.visible { table.name.clone() } else { format!("{}.{}", table.schema, table.name) },
            columns,
            key: key.map_err(|error| super::open::trouble(&error))?,
        }))
    }

    fn others(&self) -> Result<Described, Trouble> {
        let rows = self.wait(self.client.query(OTHERS, &[]))?;
        let mut names = Vec::new();
        let mut no_rows = true;
        for row in &rows {
            let read = || -> Result<(String, String, bool, bool, bool), Error> {
                Ok((row.try_get(0)?, row.try_get(1)?, row.try_get(2)?, row.try_get(3)?, row.try_get(4)?))
            };
            let (schema, name, visible, is_table, readable) = read().map_err(|error| super::open::trouble(&error))?;
            // A table that may not be read may hold rows; a view shows rows of tables.
            if no_rows && is_table {
                no_rows = readable && self.is_empty(&schema, &name)?;
            }
            names.push(if visible { name } else { format!("{schema}.{name}") });
        }
        Ok(Described::Missing { names, no_rows: no_rows && rows.len() < 500 })
    }

    fn is_empty(&self, schema: &str, name: &str) -> Result<bool, Trouble> {
        let sql = format!("SELECT 1 FROM {}.{} LIMIT 1", quoted(schema, '"'), quoted(name, '"'));
        self.wait(self.client.query_typed(&sql, &[])).map(|rows| rows.is_empty())
    }
}

async fn found(client: &Client, resource: &str) -> Result<Vec<FoundTable>, Error> {
    let rows = client.query_typed(FIND, &[(&resource, Type::TEXT)]).await?;
    rows.iter()
        .map(|row| {
            Ok(FoundTable {
                oid: row.try_get(0)?,
                schema: row.try_get(1)?,
                name: row.try_get(2)?,
                by_name: row.try_get(3)?,
                visible: row.try_get(4)?,
                usable: row.try_get(5)?,
                readable: row.try_get(6)?,
            })
        })
        .collect()
}

fn denied(what: &str, name: &str) -> Trouble {
    let name: String = name.chars().take(60).collect();
    let what = format!("refuses to be read: permission denied for {what} `{name}`");
    Trouble::new(Obstacle::SourceDenied, Reach::Resource, what)
}
