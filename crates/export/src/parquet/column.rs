//! Columns of a table and how they are written: some rows at a time, so that memory is
//! bounded whatever the length of the table.

use std::io::{self, Write};
use std::ops::Range;
use std::sync::Arc;

use parquet::basic::{Compression, LogicalType, Repetition, Type as Physical, ZstdLevel};
use parquet::data_type::{
    BoolType, ByteArray, ByteArrayType, DataType, DoubleType, Int32Type, Int64Type,
};
use parquet::errors::Result;
use parquet::file::properties::{EnabledStatistics, WriterProperties};
use parquet::file::writer::{SerializedColumnWriter, SerializedFileWriter};
use parquet::schema::types::{ColumnPath, Type, TypePtr};

/// Rows that are in memory at once, and that readers read at once.
pub(super) const ROWS_IN_GROUP: usize = 1 << 17;

/// Different texts of a group of rows beyond this are stored as often as they come.
const MOST_TEXT_BYTES: usize = 64 << 20;

/// What can stand in a cell.
pub(super) trait Cell {
    type Stored: DataType;
    const PHYSICAL: Physical;

    fn logical() -> Option<LogicalType>;
    fn stored(self) -> <Self::Stored as DataType>::T;
}

macro_rules! cell {
    ($type:ty, $stored:ty, $physical:ident, $logical:expr, $convert:expr) => {
        impl Cell for $type {
            type Stored = $stored;
            const PHYSICAL: Physical = Physical::$physical;

            fn logical() -> Option<LogicalType> {
                $logical
            }

            fn stored(self) -> <$stored as DataType>::T {
                let convert: fn(Self) -> <$stored as DataType>::T = $convert;
                convert(self)
            }
        }
    };
}

cell!(u32, Int32Type, INT32, Some(unsigned(32)), u32::cast_signed);
cell!(u64, Int64Type, INT64, Some(unsigned(64)), u64::cast_signed);
cell!(i64, Int64Type, INT64, None, |value| value);
cell!(f64, DoubleType, DOUBLE, None, |value| value);
cell!(bool, BoolType, BOOLEAN, None, |value| value);
cell!(
    &str,
    ByteArrayType,
    BYTE_ARRAY,
    Some(LogicalType::String),
    |value| { ByteArray::from(value) }
);

fn unsigned(bit_width: i8) -> LogicalType {
    LogicalType::integer(bit_width, false)
}

/// Writes the cells of some rows.
type Fill<'a> = dyn Fn(Range<usize>, &mut SerializedColumnWriter<'_>) -> Result<()> + 'a;

/// A column by its name and what it has in each row.
pub(super) struct Column<'a> {
    schema: TypePtr,
    fill: Box<Fill<'a>>,
}

impl<'a> Column<'a> {
    /// With a value in every row.
    pub(super) fn of<C: Cell>(name: &str, value: impl Fn(usize) -> C + 'a) -> Result<Column<'a>> {
        Ok(Column {
            schema: primitive::<C>(name, Repetition::REQUIRED)?,
            fill: Box::new(move |rows, writer| {
                let values: Vec<_> = rows.map(|row| value(row).stored()).collect();
                let writer = writer.typed::<C::Stored>();
                writer.write_batch(&values, None, None).map(drop)
            }),
        })
    }

    /// With a value in some rows.
    pub(super) fn maybe<C: Cell>(
        name: &str,
        value: impl Fn(usize) -> Option<C> + 'a,
    ) -> Result<Column<'a>> {
        Ok(Column {
            schema: primitive::<C>(name, Repetition::OPTIONAL)?,
            fill: Box::new(move |rows, writer| {
                let mut values = Vec::with_capacity(rows.len());
                let mut is_there = Vec::with_capacity(rows.len());
                for row in rows {
                    let value = value(row);
                    is_there.push(i16::from(value.is_some()));
                    values.extend(value.map(Cell::stored));
                }
                let writer = writer.typed::<C::Stored>();
                writer.write_batch(&values, Some(&is_there), None).map(drop)
            }),
        })
    }

    /// With a list in every row, which `append` adds to what is there.
    pub(super) fn list<C: Cell>(
        name: &str,
        append: impl Fn(usize, &mut Vec<C>) + 'a,
    ) -> Result<Column<'a>> {
        let element = primitive::<C>("element", Repetition::REQUIRED)?;
        let list = Type::group_type_builder("list")
            .with_repetition(Repetition::REPEATED)
            .with_fields(vec![element])
            .build()?;
        let schema = Type::group_type_builder(name)
            .with_repetition(Repetition::REQUIRED)
            .with_logical_type(Some(LogicalType::List))
            .with_fields(vec![Arc::new(list)])
            .build()?;
        Ok(Column {
            schema: Arc::new(schema),
            fill: Box::new(move |rows, writer| {
                let mut items = Vec::new();
                // Whether an entry is an item, and whether it goes on with the row before.
                let (mut is_item, mut goes_on) = (Vec::new(), Vec::new());
                for row in rows {
                    let before = items.len();
                    append(row, &mut items);
                    let length = items.len() - before;
                    is_item.extend(std::iter::repeat_n(i16::from(length > 0), length.max(1)));
                    goes_on.push(0);
                    goes_on.extend(std::iter::repeat_n(1, length.saturating_sub(1)));
                }
                let values: Vec<_> = items.into_iter().map(Cell::stored).collect();
                let writer = writer.typed::<C::Stored>();
                let written = writer.write_batch(&values, Some(&is_item), Some(&goes_on));
                written.map(drop)
            }),
        })
    }
}

fn primitive<C: Cell>(name: &str, repetition: Repetition) -> Result<TypePtr> {
    let kind = Type::primitive_type_builder(name, C::PHYSICAL)
        .with_repetition(repetition)
        .with_logical_type(C::logical())
        .build()?;
    Ok(Arc::new(kind))
}

/// Numbers are left to the compression; texts are stored once in each group of rows.
fn properties(columns: &[Column<'_>]) -> Result<WriterProperties> {
    let mut properties = WriterProperties::builder()
        .set_compression(Compression::ZSTD(ZstdLevel::try_new(1)?))
        .set_statistics_enabled(EnabledStatistics::Chunk)
        .set_dictionary_page_size_limit(MOST_TEXT_BYTES)
        .set_dictionary_enabled(false)
        .set_created_by(concat!("residue ", env!("CARGO_PKG_VERSION")).to_string());
    let texts = columns.iter().map(|column| &column.schema);
    for text in texts.filter(|schema| is_text(schema)) {
        let path = ColumnPath::from(text.name());
        properties = properties.set_column_dictionary_enabled(path, true);
    }
    Ok(properties.build())
}

fn is_text(schema: &Type) -> bool {
    schema.is_primitive() && schema.get_physical_type() == Physical::BYTE_ARRAY
}

/// Writes a whole file.
pub(super) fn write(
    rows: usize,
    rows_in_group: usize,
    columns: &[Column<'_>],
    out: &mut dyn Write,
) -> io::Result<()> {
    let schema = Type::group_type_builder("schema")
        .with_fields(columns.iter().map(|column| column.schema.clone()).collect())
        .build()?;
    let schema = Arc::new(schema);
    let properties = Arc::new(properties(columns)?);
    let mut file = SerializedFileWriter::new(Vec::new(), schema, properties)?;
    for start in (0..rows).step_by(rows_in_group) {
        let range = start..rows.min(start + rows_in_group);
        let mut group = file.next_row_group()?;
        for column in columns {
            if let Some(mut writer) = group.next_column()? {
                (column.fill)(range.clone(), &mut writer)?;
                writer.close()?;
            }
        }
        group.close()?;
        file.flush()?;
        out.write_all(file.inner())?;
        file.inner_mut().clear();
    }
    out.write_all(&file.into_inner()?)
}
