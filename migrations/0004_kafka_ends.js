// @ts-check

/** @import { Knex } from 'knex' */

export const part = 'recency';

/** @param {Knex} knex */
export async function up(knex) {
  // How far each partition of a Kafka topic is known to have reached: one past the highest offset that a publisher was
  // given. A log that ends before it has lost its end. went_back: a publisher was given an offset below it. generation
  // counts how often it was set back after such a loss.
  await knex.raw(`CREATE TABLE IF NOT EXISTS recency_kafka_ends (
    topic VARCHAR(249) CHARACTER SET ascii COLLATE ascii_bin NOT NULL,
    partition_id INT UNSIGNED NOT NULL,
    end_offset BIGINT UNSIGNED NOT NULL,
    generation BIGINT UNSIGNED NOT NULL DEFAULT 0,
    went_back TINYINT UNSIGNED NOT NULL DEFAULT 0,
    PRIMARY KEY (topic, partition_id)
  ) ENGINE=InnoDB DEFAULT CHARSET=utf8mb4`);
}

/** @param {Knex} knex */
export async function down(knex) {
  await knex.raw('DROP TABLE IF EXISTS recency_kafka_ends');
}
