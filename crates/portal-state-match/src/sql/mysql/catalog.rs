//! The catalog entry of a resource in MySQL and MariaDB: by its name in the URL's database, or as `database.table`.

use candor_check::Obstacle;
use mysql::Error;
use mysql::prelude::Queryable as _;

use super::open::trouble;
use super::{Mysql, kind};
use crate::sql::clause::quoted;
use crate::sql::engine::{Column, Described, Table};
use crate::sql::trouble::{Reach, Trouble};

const KEY: &str = "SELECT k.COLUMN_NAME FROM information_schema.KEY_COLUMN_USAGE k \
    WHERE k.CONSTRAINT_NAME = 'PRIMARY' AND k.TABLE_SCHEMA = ? AND k.TABLE_NAME = ? ORDER BY k.ORDINAL_POSITION";
const OTHERS: &str = "SELECT TABLE_SCHEMA, TABLE_NAME, TABLE_TYPE = 'BASE TABLE', TABLE_SCHEMA <=> DATABASE() \
    FROM information_schema.TABLES \
    WHERE TABLE_SCHEMA NOT IN ('information_schema', 'mysql', 'performance_schema', 'sys') \
    ORDER BY 3 DESC, 1, 2 LIMIT 500";

/// The databases that the server keeps for itself.
const OWN: &[&str] = &["information_schema", "mysql", "performance_schema", "sys"];
/// No such table, no such database, and none selected.
const NO_TABLE: u16 = 1146;
const NO_DATABASE: u16 = 1049;
const NONE_SELECTED: u16 = 1046;
const NO_NAME: &[u16] = &[1059, 1103, 1102];

impl Mysql {
    pub(super) fn described(&mut self, resource: &str) -> Result<Described, Trouble> {
        let database: Vec<Option<String>> = self.ask("SELECT DATABASE()", ())?;
        let database = database.into_iter().flatten().next();
        let mut names: Vec<(String, String)> = Vec::new();
        names.extend(database.clone().map(|database| (database, resource.to_owned())));
        names.extend(resource.split_once('.').map(|(database, table)| (database.to_owned(), table.to_owned())));
        let mut refused = None;
        for (schema, table) in names {
            if OWN.iter().any(|own| schema.eq_ignore_ascii_case(own)) || table.is_empty() || schema.is_empty() {
                continue;
            }
            match self.table(&schema, &table, database.as_deref() == Some(schema.as_str())) {
                Ok(Some(table)) => return Ok(Described::There(table)),
                Ok(None) => {}
                // What the user may not look into is not what is not there; but the name may be another table's.
                Err(why) if is_denied(&why) => refused = refused.or(Some(why)),
                Err(why) => return Err(why),
            }
        }
        match refused {
            Some(why) => Err(why),
            None => self.others(),
        }
    }

    /// A table; `None` if it does not exist.
    fn table(&mut self, schema: &str, name: &str, by_name: bool) -> Result<Option<Table>, Trouble> {
        let sql = format!("{}.{}", quoted(schema, '`'), quoted(name, '`'));
        let statement = match self.connection()?.prep(format!("SELECT * FROM {sql}")) {
            Ok(statement) => statement,
            Err(Error::MySqlError(error)) if is_missing(error.code) => return Ok(None),
            Err(error) => return Err(trouble(&error)),
        };
        let described = statement.columns();
        let column = |column: &mysql::Column| Column {
            name: column.name_str().into_owned(),
            kind: kind::name(column).to_owned(),
        };
        let columns: Vec<Column> = described.iter().map(column).collect();
        let read: Vec<String> = columns.iter().map(|column| quoted(&column.name, '`')).collect();
        let select = format!("SELECT {} FROM {sql}", read.join(", "));
        let key = self.ask(KEY, (schema, name))?;
        let name = if by_name { name.to_owned() } else { format!("{schema}.{name}") };
        Ok(Some(Table { select, name, columns, key }))
    }

    fn others(&mut self) -> Result<Described, Trouble> {
        let rows: Vec<(String, String, bool, bool)> = self.ask(OTHERS, ())?;
        // A table that the user may not read is not among them.
        let mut no_rows = false;
        let mut tables = rows.iter().filter(|(_, _, is_table, _)| *is_table).peekable();
        if tables.peek().is_some() && rows.len() < 500 {
            no_rows = true;
            for (schema, name, ..) in tables {
                let sql = format!("SELECT 1 FROM {}.{} LIMIT 1", quoted(schema, '`'), quoted(name, '`'));
                let found: Result<Option<u8>, Error> = self.connection()?.query_first(sql);
                no_rows = no_rows && found.is_ok_and(|row| row.is_none());
            }
        }
        let name = |(schema, name, _, here): (String, String, bool, bool)| match here {
            true => name,
            false => format!("{schema}.{name}"),
        };
        Ok(Described::Missing { names: rows.into_iter().map(name).collect(), no_rows })
    }

    fn ask<T: mysql::prelude::FromRow>(
        &mut self,
        sql: &str,
        values: impl Into<mysql::Params>,
    ) -> Result<Vec<T>, Trouble> {
        let rows: Result<Vec<mysql::Row>, Error> = self.connection()?.exec(sql, values);
        let rows = rows.map_err(|error| trouble(&error))?;
        let read = rows.into_iter().map(mysql::from_row_opt).collect::<Result<Vec<T>, _>>();
        read.map_err(|_| {
            Trouble::new(Obstacle::SourceUnavailable, Reach::Resource, "describes its tables in an unexpected way")
        })
    }
}

fn is_missing(code: u16) -> bool {
    [NO_TABLE, NO_DATABASE, NONE_SELECTED].contains(&code) || NO_NAME.contains(&code)
}

fn is_denied(trouble: &Trouble) -> bool {
    trouble.fault == candor_check::records::Fault::Obstacle(Obstacle::SourceDenied)
}
