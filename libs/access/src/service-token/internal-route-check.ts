import { Injectable } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { FastifyInstance } from 'fastify';
import { InternalCallTable } from './internal-calls';

/** Stops the start of a service that has an internal route without a row in the table of internal calls. */
@Injectable()
export class InternalRouteCheck {
  constructor({ httpAdapter }: HttpAdapterHost, table: InternalCallTable) {
    // Before any module registers a route.
    httpAdapter.getInstance<FastifyInstance>().addHook('onRoute', ({ method, url }) => {
      if (!url.startsWith('/internal/')) return;
      const missing = [method].flat().filter(name => !table.callersOf(name, url));
      if (missing.length > 0) throw new Error(`the table of internal calls has no row for ${missing.join(', ')} ${url}`);
    });
  }
}
