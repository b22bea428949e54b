/** What is known of a site's tables without reading their rows. */

export interface InspectedColumn {
  readonly name: string;
  /** The bare type, in lower case: `bigint`, `varchar`, `datetime`. */
  readonly type: string;
  /** The whole type: `bigint(20) unsigned`, `enum('public','private')`. */
  readonly fullType: string;
  readonly isNullable: boolean;
  /** Undefined: it has none, or NULL. Without quotes. */
  readonly defaultValue: string | undefined;
  readonly comment: string;
}

/** An index. */
export interface InspectedKey {
  readonly name: string;
  /** In order, up to the first that is indexed only in part (a prefix, an expression). */
  readonly columns: readonly string[];
  /** And all of its columns are whole. */
  readonly isUnique: boolean;
}

/** A foreign key of one column. */
export interface InspectedReference {
  readonly column: string;
  readonly table: string;
  readonly target: string;
  /** Deleting or changing the parent changes rows of this table, without row events of their own. */
  readonly cascades: boolean;
}

export interface InspectedTable {
  readonly name: string;
  readonly columns: readonly InspectedColumn[];
  readonly keys: readonly InspectedKey[];
  readonly references: readonly InspectedReference[];
  /** As the server estimates. */
  readonly rows: number;
}

export interface InspectedSchema {
  readonly database: string;
  readonly product: 'MariaDB' | 'MySQL';
  /** In the server's own words. */
  readonly version: string;
  /** Base tables, without Recency's own. */
  readonly tables: readonly InspectedTable[];
}

/** Some values of a column. */
export interface ColumnSample {
  /** Different values, as text; NULL is left out. */
  readonly values: readonly string[];
  /** There may be more: not all rows were read, or there were too many values. */
  readonly isPartial: boolean;
}
