import { Controller, Delete, Get, HttpCode, Param, ParseUUIDPipe } from '@nestjs/common';
import type { OpenedSession } from './domain/session';
import { AskedBy, type Asking, SignedIn } from './portal.guard';
import { SessionsService, type OwnSession } from './sessions.service';

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
  end(@Param('sessionId', ParseUUIDPipe) sessionId: string, @AskedBy() asking: Asking): Promise<void> {
    return this.sessions.end(sessionId, asking);
  }
}
