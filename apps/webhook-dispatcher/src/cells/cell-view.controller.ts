import { Controller, Get } from '@nestjs/common';
import type { CellViewAnswer } from '@paycode/dto';
import { DomainError } from '@paycode/service-runtime';
import { CellMembership } from './follow-cells.job';

@Controller('internal/cells/view')
export class CellViewController {
  constructor(private readonly membership: CellMembership) {}

  /** For the scheduler of this cell, which must not take the payments of another one for its own. */
  @Get()
  async show(): Promise<CellViewAnswer> {
    const { others } = this.membership;
    if (!others) throw new DomainError({ status: 409, reason: 'WRONG_CELL', message: 'this dispatcher has no CELL_NAME' });
    const { map, ranges } = await others.viewNow();
    return { map, ranges: [...ranges] };
  }
}
