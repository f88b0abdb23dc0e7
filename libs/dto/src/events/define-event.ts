import type * as z from 'zod';
import { type Contract, contract, record } from '../schema/contract.ts';

/**
 * Each event has its own topic. The number of partitions never changes: more partitions would break the order of the events of one transaction.
 */
export interface TopicDefinition {
  name: string;
  partitions: number;
  /** How long a published event is kept at most, in milliseconds. */
  retentionMs: number;
  cleanupPolicy: 'delete' | 'compact';
  /** Services that may write to the topic. */
  producers: readonly string[];
  consumers: readonly TopicConsumer[];
}

export interface TopicConsumer {
  /** Consumer group; names the dead-letter topic `<topic>.<group>.dlq`. */
  group: string;
  /** Service whose identity reads. */
  service: string;
  /** Each cell beside `main` has a group of its own, `webhook-dispatcher@b`, and reads as the same identity (P-1.12). */
  isPerCell?: true;
}

export const dayMs = 86_400_000;

interface EventOptions<Type extends string, Topic extends string, Fields extends z.ZodRawShape> {
  /** CloudEvents `type`: a fact in the past. */
  type: Type;
  description: string;
  topic: TopicDefinition & { name: Topic };
  /** The field that, as text, is the record's key: events of one key stay in order. */
  key: keyof Fields & string;
  /** The data, field by field, in the order in which they are written. */
  fields: Fields;
}

/** The complete definition of an event. Topics, access rights, AsyncAPI page and published contract are generated from it. */
export interface EventDefinition<T = unknown, Type extends string = string, Topic extends string = string> extends Contract<T> {
  readonly type: Type;
  readonly description: string;
  readonly topic: TopicDefinition & { readonly name: Topic };
  readonly key: string;
}

/** The data of an event. */
export type EventData<E> = E extends EventDefinition<infer T> ? T : never;

export function defineEvent<const Type extends string, const Topic extends string, Fields extends z.ZodRawShape>({
  fields,
  ...event
}: EventOptions<Type, Topic, Fields>): EventDefinition<z.infer<z.ZodObject<Fields>>, Type, Topic> {
  // This extends the contract object itself. A copy would create the JSON Schema at once, and services never need it.
  return Object.assign(contract(record(event.type, event.description, fields)), event);
}
