import { Controller, Get } from '@nestjs/common';
import type { CellJobs } from '@paycode/dto';
import { OwnJobs } from './own-jobs';

@Controller('internal/cells/jobs')
export class CellsController {
  constructor(private readonly jobs: OwnJobs) {}

  /** Whether jobs of a partition are undecided, and how far its events are audited. */
  @Get()
  show(): Promise<CellJobs> {
    return this.jobs.show();
  }
}
