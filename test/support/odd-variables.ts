/** Values of session variables as hardly any server has them, for a server on which Recency must be as right as on any other. */
import { ALL_SET, LEFT } from '../../src/mysql/session-variables.ts';
import type { OwnMysql } from './own-mysql.ts';

/** By the name of the variable, in SQL. */
const ODD: Readonly<Record<string, string>> = {
  ...{
    autocommit: '0',
    completion_type: "'CHAIN'",
    time_zone: "'+05:00'",
    lc_time_names: "'de_DE'",
    lc_messages: "'de_DE'",
  },
  ...{ sql_mode: "'ANSI_QUOTES,NO_BACKSLASH_ESCAPES,PIPES_AS_CONCAT'", sql_select_limit: '1', max_join_size: '1' },
  ...{ sql_big_selects: '0', sql_safe_updates: '1', sql_auto_is_null: '1', sql_if_exists: '1' },
  ...{ foreign_key_checks: '0', unique_checks: '0', check_constraint_checks: '0' },
  ...{ transaction_isolation: "'READ-UNCOMMITTED'", tx_isolation: "'READ-UNCOMMITTED'" },
  ...{ transaction_read_only: '1', tx_read_only: '1' },
  ...{ lock_wait_timeout: '1', innodb_lock_wait_timeout: '1', wait_timeout: '1' },
  ...{ idle_transaction_timeout: '1', idle_readonly_transaction_timeout: '1', idle_write_transaction_timeout: '1' },
  ...{ tmp_disk_table_size: '1024', max_session_mem_used: '1000000' },
  ...{ cte_max_recursion_depth: '1', max_recursive_iterations: '1', group_concat_max_len: '4', max_sort_length: '64' },
  ...{ div_precision_increment: '0', default_week_format: '7', block_encryption_mode: "'aes-256-cbc'" },
  ...{ default_regex_flags: "'DOTALL'", old_mode: "'NO_PROGRESS_INFO'", standard_compliant_cte: '0' },
  ...{ windowing_use_high_precision: '0', system_versioning_asof: "'2020-01-01 00:00:00'", query_cache_type: '1' },
  ...{ use_secondary_engine: "'ON'", show_gipk_in_create_table_and_information_schema: '0' },
  ...{ wsrep_dirty_reads: '1', wsrep_osu_method: "'RSU'", max_execution_time: '1', max_statement_time: '0.001' },
  ...{ character_set_client: "'latin1'", character_set_connection: "'latin1'", character_set_results: "'latin1'" },
  ...{ collation_connection: "'latin1_german2_ci'" },

  ...{ auto_increment_increment: '7', auto_increment_offset: '3', big_tables: '1', sql_buffer_result: '1' },
  ...{ character_set_server: "'latin1'", default_storage_engine: "'MyISAM'", default_tmp_storage_engine: "'MyISAM'" },
  ...{ low_priority_updates: '1', old_alter_table: '1', alter_algorithm: "'COPY'", innodb_strict_mode: '0' },
  ...{ session_track_schema: '1', session_track_state_change: '1', session_track_system_variables: "'*'" },
  ...{ session_track_transaction_info: "'CHARACTERISTICS'", session_track_gtids: "'ALL_GTIDS'" },
  ...{ sort_buffer_size: '32768', join_buffer_size: '128', read_buffer_size: '8192', tmp_table_size: '1024' },
  ...{
    max_heap_table_size: '16384',
    max_length_for_sort_data: '4',
    max_seeks_for_key: '1',
    eq_range_index_dive_limit: '1',
  },
  ...{
    optimizer_prune_level: '0',
    optimizer_search_depth: '1',
    optimizer_trace: "'enabled=on'",
    join_cache_level: '8',
  },
  ...{ optimizer_use_condition_selectivity: '1', use_stat_tables: "'NEVER'", in_predicate_conversion_threshold: '2' },
  ...{ max_error_count: '0', sql_notes: '0', sql_quote_show_create: '0', updatable_views_with_limit: "'NO'" },
  ...{
    innodb_snapshot_isolation: '1',
    information_schema_stats_expiry: '0',
    internal_tmp_mem_storage_engine: "'MEMORY'",
  },
  ...{ explain_format: "'TREE'", explain_json_format_version: '2', end_markers_in_json: '1' },
  ...{
    terminology_use_previous: "'BEFORE_8_0_26'",
    sql_generate_invisible_primary_key: '1',
    sql_require_primary_key: '1',
  },
};

/** Of variables that no option of a server decides, or that are set only on a member of a cluster. */
const WITHOUT_OPTION = new Set(['timestamp', 'wsrep_sync_wait', 'group_replication_consistency']);

/** What an `init_connect` may do besides. The server runs it only for accounts without all privileges. */
const INIT_CONNECT = 'SET autocommit = 0, sql_select_limit = 1, timestamp = 1000000000';

/** Variables that Recency sets, and for which there is no odd value here. */
export const UNTRIED = ALL_SET.map(({ name }) => name).filter(
  (name) => ODD[name] === undefined && !WITHOUT_OPTION.has(name),
);

/** Gives each variable that this server has its odd value, for all sessions that begin later. */
export async function makeOdd(own: OwnMysql): Promise<void> {
  const present = new Set((await own.query('SHOW GLOBAL VARIABLES')).map((row) => nameOf(row, 'Variable_name')));
  const odd = Object.entries(ODD).filter(([name]) => present.has(name));
  await own.run(
    ...odd.map(([name, value]) => `SET GLOBAL ${name} = ${value}`),
    `SET GLOBAL init_connect = '${INIT_CONNECT}'`,
  );
}

/** Session variables of this server that are in neither table. */
export async function unknownVariables(own: OwnMysql): Promise<string[]> {
  const [{ version = '' } = {}] = (await own.query('SELECT VERSION() AS version')) as { version?: string }[];
  const rows = await own.query(
    version.includes('MariaDB')
      ? "SELECT VARIABLE_NAME AS name FROM information_schema.SYSTEM_VARIABLES WHERE VARIABLE_SCOPE LIKE 'SESSION%'"
      : "SELECT VARIABLE_NAME AS name FROM performance_schema.variables_metadata WHERE VARIABLE_SCOPE LIKE 'SESSION%'",
  );
  const known = new Set(ALL_SET.map(({ name }) => name).concat(LEFT.flatMap(({ names }) => names)));
  return rows.map((row) => nameOf(row, 'name')).filter((name) => !known.has(name));
}

function nameOf(row: unknown, column: string): string {
  return String((row as Record<string, unknown>)[column]).toLowerCase();
}
