import { Inject, Injectable, type OnApplicationBootstrap, type OnModuleInit } from '@nestjs/common';
import type { InternalRequest, RequestToRelay } from '@paycode/access';
import { topics } from '@paycode/dto';
import { EventsServer, type TakenRange } from '@paycode/events';
import { Lifecycle, LOGGER, type Logger } from '@paycode/service-runtime';
import { PeriodicTask } from '@paycode/service-runtime/timing';
import { FormerCells } from './former-cells';
import type { HttpOtherCells } from './http-other-cells';

const readMapMs = 2_000;

/** A request that may be about a payment of another cell. */
export type CellRequest = RequestToRelay & Pick<InternalRequest, 'internalCaller'>;

/** The place of this process among the cells. Without `others` the platform is one cell. */
export class CellMembership {
  readonly former?: FormerCells;

  constructor(readonly others?: HttpOtherCells) {
    if (others) this.former = new FormerCells(others);
  }

  /** Undefined before the map was read, and for partitions that others added. */
  rangeOf(partition: number): TakenRange | undefined {
    try {
      return this.others!.view().ranges[partition];
    } catch {
      return undefined;
    }
  }
}

/** Reads the map again and again, and has the partitions read by the ranges that follow from it. */
@Injectable()
export class FollowCellsJob implements OnModuleInit, OnApplicationBootstrap {
  constructor(
    private readonly membership: CellMembership,
    private readonly server: EventsServer,
    private readonly lifecycle: Lifecycle,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Before the server listens: no partition is read without its range. */
  onModuleInit(): void {
    if (this.membership.others)
      this.server.takeRanges(topics.transactionTerminal, partition => this.membership.rangeOf(partition));
  }

  onApplicationBootstrap(): void {
    const { others } = this.membership;
    if (!others) return;
    const failed = (err: unknown) => this.logger.warn({ event: 'cells-unread', err }, 'the map of cells could not be followed');
    const pass = async () => {
      await others.pass();
      this.server.followRanges(topics.transactionTerminal);
    };
    const task = new PeriodicTask(pass, { everyMs: readMapMs, failed }).start();
    this.lifecycle.onDrain('cells', () => task.stop());
  }
}
