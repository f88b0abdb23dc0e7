import { Controller, Delete, Get, HttpCode, Param } from '@nestjs/common';
import { IsUUID } from 'class-validator';
import type { OpenedSession } from './domain/session';
import { AskedBy, type Asking, SignedIn } from './portal.guard';
import { SessionsService, type OwnSession } from './sessions.service';

export class SessionParam {
  @IsUUID()
  sessionId!: string;
}

/** A person's own sessions: seen, and ended one by one. */
@Controller('console/api/sessions')
export class SessionsController {
  constructor(private readonly sessions: SessionsService) {}

  @Get()
  list(@SignedIn() opened: OpenedSession): Promise<OwnSession[]> {
    return this.sessions.list(opened);
  }

  @Delete(':sessionId')
  @HttpCode(204)
  end(@Param() { sessionId }: SessionParam, @AskedBy() asking: Asking): Promise<void> {
    return this.sessions.end(sessionId, asking);
  }
}
