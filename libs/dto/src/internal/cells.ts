import { IsInt, Matches, Max, Min } from 'class-validator';
import type { Identity } from '../access/identity.ts';
import { cellNameForm, cellNameRule } from '../events/cell-names.ts';
import { transactionTerminal } from '../events/transaction-terminal.event.ts';

/** A cell, and where its two services that others call listen: internal base URLs without a path. */
export interface CellAddress {
  name: string;
  dispatcherUrl: string;
  schedulerUrl: string;
}

/** From this offset of its partition of TransactionTerminal on, the cell takes the events (P-1.12). */
export interface CellEntry {
  partition: number;
  fromOffset: number;
  cell: string;
  /** Counts the entries of a partition, from 1. */
  step: number;
}

/** GET notification-config /internal/cells: the map, in the order in which it grew. Without a cell the platform is one. */
export interface CellsAnswer {
  cells: CellAddress[];
  entries: CellEntry[];
}

/** POST webhook-dispatcher /internal/cells/end: ends the range of this entry, unless it has ended. */
export interface EndRangeRequest {
  /** Name of the cell that is asked: another one must not end its own range. */
  cell: string;
  partition: number;
  step: number;
}

export interface EndRangeAnswer {
  /** First offset that the cell does not take. */
  offset: number;
}

/** GET webhook-dispatcher /internal/cells/ranges. */
export interface CellRanges {
  /** Name of this cell; null: it has none. */
  cell: string | null;
  /** By partition. */
  ranges: CellRange[];
}

/** The offsets of a partition that a cell takes. */
export interface CellRange {
  from: number;
  /** First offset after it; null: no end. */
  until: number | null;
  /** Entry of the map that gave it. */
  step: number;
  /** It has ended, all events below its end are read, and no delivery of the partition is open. */
  isDrained: boolean;
}

/** GET reversal-scheduler /internal/cells/jobs. */
export interface CellJobs {
  /** Name of this cell; null: it has none. */
  cell: string | null;
  /** By partition. */
  partitions: PartitionJobs[];
}

export interface PartitionJobs {
  /** Next offset that the audit has not read; null: it has read none. */
  auditedTo: number | null;
  /** A job is undecided. */
  hasOpen: boolean;
}

/** POST webhook-dispatcher /internal/cells/known, by a later cell before it stores these payments. At most 1,000 of them. */
export interface KnownRequest {
  /** Name of the cell that is asked. Absent: the caller trusts its address. */
  cell?: string;
  partition: number;
  /** Offset at which the later cell begins. */
  below: number;
  transactionIds: number[];
}

export interface KnownAnswer {
  /** Those of the payments that the former cell has stored, or put aside. */
  taken: number[];
  /** Of its ids, or a higher one: what it has of the partition lies at or below it, as long as the later cell's step stands. */
  highest: number;
}

/** POST webhook-dispatcher /internal/cells/notification, by another cell for the account that its getNotification has identified -> the notification. */
export interface CellNotificationRequest extends Pick<Identity, 'accountType' | 'ownerId'> {
  transactionId: number;
}

/** Bounds of the map. */
export const cellLimits = { cellsMax: 64, stepMax: 200 } as const;

/** A field of a body that is the name of a cell. */
export const IsCellName = () => Matches(cellNameForm, { message: `$property ${cellNameRule}` });
export const IsPartition = () => IsIntegerUpTo(transactionTerminal.topic.partitions - 1);
export const IsOffset = () => IsIntegerUpTo(Number.MAX_SAFE_INTEGER);
/** 0: the first cell has the partition by no entry. */
export const IsStep = () => IsIntegerUpTo(cellLimits.stepMax);

function IsIntegerUpTo(max: number): PropertyDecorator {
  const rules = [IsInt(), Min(0), Max(max)];
  return (target, field) => rules.forEach(rule => rule(target, field));
}
