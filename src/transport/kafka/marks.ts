import { AssignerProtocol, type MemberDescription, type PartitionAssigner, PartitionAssigners } from 'kafkajs';

/**
 * Every offset that a consumer commits carries a mark in its metadata, which names the offset. An offset without it, or with that of
 * another offset, was set by somebody else: an operator's tool, or one that copies groups between clusters. What lies between there
 * and where the group stood was perhaps never delivered.
 *
 * Version 0.1.0 commits without marks. Kafka lets nobody move the offsets of a group that has members, so an offset without a mark
 * is a former version's while one of its members is in the group. Members of this version can be told apart by their user data, and
 * strangers, which acknowledge tasks that they do not apply, by their client id.
 */
const MARK = 'recency';

/** The metadata to commit with an offset, the next one to deliver. */
export function markOf(offset: string | bigint): string {
  return `${MARK}:${offset}`;
}

const MARKS = Buffer.from('marks');

/** The client ids of the consumers of version 0.1.0, as of this one. */
const CONSUMERS = /^recency-consume(?:-bulk)?$/;

/** kafkajs's own assigner, in a member that says that it marks what it commits. */
export const markingAssigner: PartitionAssigner = (config) => {
  const assigner = PartitionAssigners.roundRobin(config);
  return {
    ...assigner,
    protocol: ({ topics }) => ({
      name: assigner.name,
      metadata: AssignerProtocol.MemberMetadata.encode({ version: assigner.version, topics, userData: MARKS }),
    }),
  };
};

/** Is this member of a group a consumer of version 0.1.0? */
export function isFormerMember({
  clientId,
  memberMetadata,
}: Pick<MemberDescription, 'clientId' | 'memberMetadata'>): boolean {
  return (
    CONSUMERS.test(clientId) && AssignerProtocol.MemberMetadata.decode(memberMetadata)?.userData.equals(MARKS) !== true
  );
}
