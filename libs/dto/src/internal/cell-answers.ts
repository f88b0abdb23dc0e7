import * as z from 'zod';
import { cellNameForm } from '../events/cell-names';
import { cellLimits } from './cells';

const count = z.int().min(0);
/** Empty: of the only cell. */
const address = z.union([z.url(), z.literal('')]);

/** Answers about cells that services read from each other. */
const cellsAnswer = z.object({
  cells: z
    .array(z.object({ name: z.string().regex(cellNameForm), dispatcherUrl: address, schedulerUrl: address }))
    .max(cellLimits.cellsMax),
  entries: z.array(z.object({ partition: count, fromOffset: count, cell: z.string().regex(cellNameForm), step: z.int().min(1) })),
});
const knownAnswer = z.object({ taken: z.array(z.int().min(1)), highest: count });

/** GET webhook-dispatcher /internal/cells/view, for the scheduler of the same cell: the durable ranges, and a map that is not older. */
const cellViewAnswer = z.object({
  map: cellsAnswer,
  ranges: z.array(z.object({ from: count, until: count.nullable(), step: count })),
});
export type CellViewAnswer = z.infer<typeof cellViewAnswer>;

/** Where cells ask, and how the answers are read. @throws ZodError for an answer that breaks the contract */
export const cellRoutes = {
  map: { path: '/internal/cells', read: (answer: unknown) => cellsAnswer.parse(answer) },
  known: { path: '/internal/cells/known', read: (answer: unknown) => knownAnswer.parse(answer) },
  notification: { path: '/internal/cells/notification' },
  view: { path: '/internal/cells/view', read: (answer: unknown) => cellViewAnswer.parse(answer) },
} as const;
