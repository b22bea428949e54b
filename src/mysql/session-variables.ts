/**
 * Every session variable of MySQL and MariaDB, in one of two tables: those that Recency sets in each session, and those that it leaves to
 * the server, with the reason why any value of theirs is harmless. A test compares the tables with those that the running server has, so
 * that a variable of a new version is noticed.
 */

/** Strict, and nothing that changes how a statement is parsed. */
export const SQL_MODE = 'STRICT_TRANS_TABLES,ERROR_FOR_DIVISION_BY_ZERO,NO_ENGINE_SUBSTITUTION';

const GREATEST_64 = '18446744073709551615';
const GREATEST_32 = '4294967295';

/** A variable that is set, with the same value on every server that has it. */
export interface SetVariable {
  readonly name: string;
  /** SQL; undefined: a statement of its own sets it. */
  readonly value: string | undefined;
  /** What SHOW VARIABLES shows then; undefined: this is not compared. */
  readonly shown: string | undefined;
  /** What a value of the server would do. */
  readonly because: string;
}

const VIEWS_DEPEND_ON_IT = 'What a view returns may depend on it, and all sessions of Recency must agree.';
const REFUSES = 'Ordinary statements would be refused, or ended with an error.';
const CUTS_OFF = 'Results would be cut off.';
const WRITES_UNCHECKED = 'Rows could be written that break a constraint.';
const CLOSES = 'The server would end transactions that wait for Redis or Kafka.';

const ENDS = 'The server ends a statement whose caller has given up.';

/** Those that decide what the next statements of the set-up itself return; every server has them. */
export const SET_FIRST: readonly SetVariable[] = [
  set('sql_select_limit', GREATEST_64, CUTS_OFF),
  set('max_join_size', GREATEST_64, REFUSES),
  on('sql_big_selects', REFUSES),
  on('autocommit', 'Without it, a connection reads its first snapshot for ever.'),
  uncompared('timestamp', 'DEFAULT', 'The session’s clock would stand still.'),
];

/** The same, of MariaDB and of MySQL. Each takes the other's for a comment. */
export const SET_FIRST_ON: Readonly<Record<'MariaDB' | 'MySQL', readonly SetVariable[]>> = {
  MariaDB: [
    bySetUp('max_statement_time', ENDS),
    set('tmp_disk_table_size', GREATEST_64, REFUSES),
    set('max_session_mem_used', '9223372036854775807', REFUSES),
  ],
  MySQL: [bySetUp('max_execution_time', ENDS)],
};

/** In the order in which they are set. A server that lacks one cannot have a wrong value of it. */
export const SET_NEXT: readonly SetVariable[] = [
  text('completion_type', 'NO_CHAIN', 'CHAIN begins a transaction after each commit, so reads see its snapshot.'),
  text('time_zone', '+00:00', 'Times are in UTC.'),
  text('sql_mode', SQL_MODE, 'Statements would be parsed in another way, or bad values stored.'),
  bySetNames('character_set_client', 'utf8mb4'),
  bySetNames('character_set_connection', 'utf8mb4'),
  bySetNames('character_set_results', 'utf8mb4'),
  bySetNames('collation_connection', 'utf8mb4_general_ci'),
  ...['transaction_isolation', 'tx_isolation'].map((name) => bySetTransaction(name, 'REPEATABLE-READ')),
  ...['transaction_read_only', 'tx_read_only'].map((name) => bySetTransaction(name, 'OFF')),
  off('sql_safe_updates', REFUSES),
  off('sql_auto_is_null', 'A condition `IS NULL` would find the row that was inserted last.'),
  off('sql_if_exists', 'A migration would pass over what is missing.'),
  on('foreign_key_checks', WRITES_UNCHECKED),
  on('unique_checks', WRITES_UNCHECKED),
  on('check_constraint_checks', WRITES_UNCHECKED),
  set('lock_wait_timeout', '86400', REFUSES),
  set('innodb_lock_wait_timeout', '50', REFUSES),
  set('idle_transaction_timeout', '0', CLOSES),
  set('idle_readonly_transaction_timeout', '0', CLOSES),
  set('idle_write_transaction_timeout', '0', CLOSES),
  set('cte_max_recursion_depth', GREATEST_32, CUTS_OFF),
  set('max_recursive_iterations', GREATEST_32, CUTS_OFF),
  set('group_concat_max_len', '1048576', CUTS_OFF),
  set('max_sort_length', '1024', 'Long values that begin alike would not be ordered.'),
  set('div_precision_increment', '4', VIEWS_DEPEND_ON_IT),
  set('default_week_format', '0', VIEWS_DEPEND_ON_IT),
  text('lc_time_names', 'en_US', VIEWS_DEPEND_ON_IT),
  text('block_encryption_mode', 'aes-128-ecb', VIEWS_DEPEND_ON_IT),
  text('default_regex_flags', '', VIEWS_DEPEND_ON_IT),
  text('old_mode', '', VIEWS_DEPEND_ON_IT),
  on('standard_compliant_cte', VIEWS_DEPEND_ON_IT),
  on('windowing_use_high_precision', VIEWS_DEPEND_ON_IT),
  text('lc_messages', 'en_US', 'Errors would be told in another language.'),
  {
    ...text('system_versioning_asof', 'DEFAULT', 'Tables with system versioning would be read as they once were.'),
    value: 'DEFAULT', // not the text
  },
  uncompared('optimizer_trace', "'enabled=off'", 'MySQL 9.7 refuses a DELETE with LIKE while it traces (error 1366).'),
  off('query_cache_type', 'Statements would share a cache and its lock.'),
  off('use_secondary_engine', 'A secondary engine receives changes later.'),
  on('show_gipk_in_create_table_and_information_schema', 'A generated primary key would be in the binary log only.'),
  off('wsrep_dirty_reads', 'A node that has lost its cluster would answer.'),
  text('wsrep_osu_method', 'TOI', 'A migration would reach one node of the cluster only.'),
  bySetUp('wsrep_sync_wait', '1 on Galera: a read first waits for what other members have committed.'),
  bySetUp('group_replication_consistency', 'BEFORE where several members take writes: a read first waits for theirs.'),
];

/** Every variable that is set. */
export const ALL_SET: readonly SetVariable[] = [
  ...SET_FIRST,
  ...SET_FIRST_ON.MariaDB,
  ...SET_FIRST_ON.MySQL,
  ...SET_NEXT,
];

/** Variables whose values are the server's. */
export interface LeftVariables {
  /** Why any value is harmless. */
  readonly because: string;
  readonly names: readonly string[];
}

export const LEFT: readonly LeftVariables[] = [
  left(
    'How fast statements are, and how much memory they take: not what they return.',
    `big_tables bulk_insert_buffer_size eq_range_index_dive_limit expensive_subquery_limit
    in_predicate_conversion_threshold information_schema_stats_expiry internal_tmp_mem_storage_engine join_buffer_size
    join_buffer_space_limit join_cache_level max_heap_table_size max_length_for_sort_data max_rowid_filter_size max_seeks_for_key
    max_tmp_tables mrr_buffer_size optimizer_adjust_secondary_key_costs optimizer_extra_pruning_depth
    optimizer_join_limit_pref_ratio optimizer_max_sel_arg_weight optimizer_max_sel_args optimizer_max_subgraph_pairs
    optimizer_prune_level optimizer_search_depth optimizer_selectivity_sampling_limit optimizer_switch
    optimizer_use_condition_selectivity preload_buffer_size query_alloc_block_size query_prealloc_size range_alloc_block_size
    range_optimizer_max_mem_size read_buffer_size read_rnd_buffer_size rowid_merge_buff_size secondary_engine_cost_threshold
    set_operations_buffer_size sort_buffer_size sql_buffer_result thread_pool_priority tmp_memory_table_size tmp_table_size
    transaction_alloc_block_size transaction_prealloc_size use_stat_tables innodb_parallel_read_threads query_cache_wlock_invalidate
    query_cache_strip_comments`,
  ),
  left(
    'Statements that analyse, alter, repair or load tables: how fast, or with which statistics.',
    `analyze_max_length analyze_sample_percentage aria_repair_threads aria_sort_buffer_size aria_stats_method
    enable_secondary_engine_statistics histogram_generation_max_mem_size histogram_size histogram_type innodb_ddl_buffer_size
    innodb_ddl_threads innodb_tmpdir myisam_repair_threads myisam_sort_buffer_size myisam_stats_method old_alter_table
    select_into_buffer_size select_into_disk_sync select_into_disk_sync_delay`,
  ),
  left(
    'What the server logs, traces, counts or tells beside the results.',
    `log_disabled_statements log_queries_not_using_indexes log_slow_admin_statements log_slow_disabled_statements log_slow_filter
    log_slow_max_warnings log_slow_min_examined_row_limit log_slow_query log_slow_query_time log_slow_rate_limit
    log_slow_slave_statements log_slow_verbosity log_warnings long_query_time max_error_count min_examined_row_limit note_verbosity
    optimizer_trace_features optimizer_trace_limit optimizer_trace_max_mem_size optimizer_trace_offset profiling
    profiling_history_size progress_report_time session_track_gtids session_track_schema session_track_state_change
    session_track_system_variables session_track_transaction_info slow_query_log sql_log_off sql_notes sql_warnings
    terminology_use_previous`,
  ),
  left(
    'The form of what EXPLAIN and SHOW CREATE print. Each EXPLAIN of Recency names its format; it uses no SHOW CREATE.',
    `end_markers_in_json explain_format explain_json_format_version print_identified_with_as_hex
    show_create_table_skip_secondary_engine show_create_table_verbosity sql_quote_show_create`,
  ),
  left(
    'Limits that only the server’s administrator may change. Beyond one a statement ends with an error, which is told.',
    `connection_memory_chunk_size connection_memory_limit global_connection_memory_tracking max_allowed_packet
    max_points_in_geometry max_sp_recursion_depth max_user_connections parser_max_mem_size`,
  ),
  left(
    'The network: a connection that the server closes is replaced.',
    'interactive_timeout net_buffer_length net_read_timeout net_retry_count net_write_timeout tcp_nodelay wait_timeout',
  ),
  left(
    'How tables are created: the migrations name what they need, and fail with an error where it cannot be had.',
    `alter_algorithm character_set_database character_set_server collation_database collation_server column_compression_threshold
    column_compression_zlib_level column_compression_zlib_strategy column_compression_zlib_wrap default_collation_for_utf8mb4
    default_storage_engine default_table_encryption default_tmp_storage_engine enforce_storage_engine
    explicit_defaults_for_timestamp external_table_secondary_storage_engine external_table_storage_engine innodb_compression_default
    innodb_default_encryption_key_id innodb_strict_mode keep_files_on_create restrict_fk_on_non_standard_key
    sql_generate_invisible_primary_key sql_require_primary_key storage_engine`,
  ),
  left(
    'How Recency’s own rows are written to the binary log. Capture checks those that matter to it, at its start and while it runs.',
    `binlog_alter_two_phase binlog_annotate_row_events binlog_direct_non_transactional_updates binlog_format binlog_row_image
    binlog_row_value_options binlog_rows_query_log_events binlog_transaction_compression
    binlog_transaction_compression_level_zstd gtid_domain_id server_id skip_parallel_replication`,
  ),
  left(
    'State of a session, which begins anew in each: no option of a server decides it.',
    `error_count external_user gtid_next gtid_owned gtid_seq_no identity immediate_server_version in_transaction insert_id last_gtid
    last_insert_id original_commit_timestamp original_server_version proxy_user pseudo_replica_mode pseudo_slave_mode
    pseudo_thread_id rand_seed1 rand_seed2 rbr_exec_mode require_row_format resultset_metadata skip_replication sql_log_bin
    sql_slave_skip_counter statement_id warning_count wsrep_gtid_seq_no`,
  ),
  left(
    'Locks and files of storage engines that Recency’s tables do not use.',
    `deadlock_search_depth_long deadlock_search_depth_short deadlock_timeout_long deadlock_timeout_short low_priority_updates
    max_delayed_threads max_insert_delayed_threads transaction_allow_batching`,
  ),
  left(
    'Statements that Recency does not use: LOAD DATA, LOCK TABLES, full-text search, passwords, XA, changes of versioned tables, of views and ' +
      'of replication.',
    `character_set_filesystem default_master_connection generated_random_password_length innodb_ft_enable_stopword
    innodb_ft_user_stopword_table innodb_table_locks max_relay_log_size old_passwords system_versioning_alter_history
    system_versioning_insert_history updatable_views_with_limit xa_detach_on_prepare`,
  ),
  left('Generated ids only have to differ.', 'auto_increment_increment auto_increment_offset'),
  left('MariaDB’s older name for parts of `old_mode`, which is set.', 'old'),
  left('With either value: what it refuses (error 1020) is tried again as a deadlock is.', 'innodb_snapshot_isolation'),
  left('Recency’s tables have no cascades.', 'enable_cascade_triggers'),
  left(
    'How a node of Galera writes. What a node without its cluster answers is another server’s.',
    'wsrep_causal_reads wsrep_on wsrep_retry_autocommit wsrep_trx_fragment_size wsrep_trx_fragment_unit',
  ),
];

function set(name: string, value: string, because: string): SetVariable {
  return { name, value, shown: value, because };
}

function text(name: string, value: string, because: string): SetVariable {
  return { name, value: `'${value}'`, shown: value, because };
}

function on(name: string, because: string): SetVariable {
  return { name, value: '1', shown: 'ON', because };
}

function off(name: string, because: string): SetVariable {
  return { name, value: '0', shown: 'OFF', because };
}

/** Of variables that SHOW VARIABLES shows with more than was set. */
function uncompared(name: string, value: string, because: string): SetVariable {
  return { name, value, shown: undefined, because };
}

function bySetNames(name: string, shown: string): SetVariable {
  return { name, value: undefined, shown, because: 'Texts would be read or compared in another way.' };
}

function bySetTransaction(name: string, shown: string): SetVariable {
  return { name, value: undefined, shown, because: 'Reads would see uncommitted rows, or writes would be refused.' };
}

/** Of variables that the set-up decides itself, by the server and by the limit of a call. */
function bySetUp(name: string, because: string): SetVariable {
  return { name, value: undefined, shown: undefined, because };
}

function left(because: string, names: string): LeftVariables {
  return { because, names: names.trim().split(/\s+/) };
}
