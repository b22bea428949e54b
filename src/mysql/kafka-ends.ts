import type { Database } from './database.ts';

/** The known end of a partition. */
export interface KnownEnd {
  /** One past the highest offset that a publisher was given. A log that ends before it has lost messages. */
  readonly end: bigint;
  /** A publisher was given an offset below `end`: the log was truncated, and may have grown past `end` again. */
  readonly wentBack: boolean;
  /** How often the record was reset after a loss. */
  readonly generation: number;
}

/** What one publish learned about one partition. */
export interface GivenEnd {
  readonly partition: number;
  /** One past the highest offset given. */
  readonly end: bigint;
  /** The generation in which a higher end had been known before these messages were sent; undefined: none had. */
  readonly wentBackIn: number | undefined;
}

const READ = 'SELECT partition_id, end_offset, went_back, generation FROM recency_kafka_ends WHERE topic = ?';

// One statement text for any number of partitions. Its rows are in the order of the partitions, so two publishers that
// lock the same rows wait for each other and never deadlock. A publisher's knowledge of an earlier generation does not
// apply to this one.
const RECORD = `
  INSERT INTO recency_kafka_ends (topic, partition_id, end_offset)
  SELECT ?, given.partition_id, given.end_offset
  FROM JSON_TABLE(?, '$[*]' COLUMNS (
    partition_id INT UNSIGNED PATH '$.partition',
    end_offset BIGINT UNSIGNED PATH '$.end',
    went_back_in BIGINT UNSIGNED PATH '$.wentBackIn')) AS given
  ON DUPLICATE KEY UPDATE
    recency_kafka_ends.end_offset = GREATEST(recency_kafka_ends.end_offset, given.end_offset),
    recency_kafka_ends.went_back =
      recency_kafka_ends.went_back OR COALESCE(recency_kafka_ends.generation = given.went_back_in, 0)`;

const SET_BACK = `
  UPDATE recency_kafka_ends
  SET end_offset = ?, went_back = 0, generation = generation + 1
  WHERE topic = ? AND partition_id = ? AND generation = ?`;

const FORGET_ENDS = `
  UPDATE recency_kafka_ends SET end_offset = 0, went_back = 0, generation = generation + 1`;
const FORGET_GROUPS = "DELETE FROM recency_settings WHERE name LIKE 'group:kafka:%'";

/**
 * Forgets how far any topic has come, and that it had consumers: tasks go to another cluster from now on. Begin an epoch afterwards.
 * @throws DatabaseUnavailable
 */
export async function forgetKafka(database: Database): Promise<void> {
  await database.write(FORGET_ENDS, []);
  await database.write(FORGET_GROUPS, []);
}

/**
 * The ends of a topic's partitions, kept outside Kafka, because a broker that comes back with older data does not know
 * that it is older.
 */
export class KafkaEnds {
  readonly #database: Database;
  readonly #topic: string;

  constructor(database: Database, topic: string) {
    this.#database = database;
    this.#topic = topic;
  }

  /** By partition, without those that no publisher has recorded. @throws DatabaseUnavailable */
  async read(): Promise<ReadonlyMap<number, KnownEnd>> {
    const rows = await this.#database.rows(READ, [this.#topic]);
    return new Map(
      rows.map(([partition, end, wentBack, generation]) => [
        Number(partition),
        { end: BigInt(String(end)), wentBack: Number(wentBack) === 1, generation: Number(generation) },
      ]),
    );
  }

  /** Ends only grow here, so publishers may record in any order. @throws DatabaseUnavailable */
  async record(given: readonly GivenEnd[]): Promise<void> {
    if (given.length === 0) return;
    const ordered = [...given].sort((a, b) => a.partition - b.partition);
    const rows = ordered.map(({ partition, end, wentBackIn }) => ({ partition, end: String(end), wentBackIn }));
    await this.#database.write(RECORD, [this.#topic, JSON.stringify(rows)]);
  }

  /**
   * Records the log's present end after a loss was reported, so that it is not found again. Does nothing when another
   * consumer has done so since `known` was read.
   * @throws DatabaseUnavailable
   */
  async setBack(partition: number, known: KnownEnd, end: bigint): Promise<void> {
    await this.#database.write(SET_BACK, [String(end), this.#topic, partition, known.generation]);
  }
}
