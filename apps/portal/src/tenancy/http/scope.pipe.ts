import { Injectable, type PipeTransform } from '@nestjs/common';
import type { OpenedSession } from '../../sessions/sessions.ports';
import { Scope } from '../scope';
import { MerchantDirectory } from '../tenancy.ports';

/** `@SignedIn(ScopePipe) scope: Scope`. */
@Injectable()
export class ScopePipe implements PipeTransform<OpenedSession, Promise<Scope>> {
  constructor(private readonly directory: MerchantDirectory) {}

  transform({ person }: OpenedSession): Promise<Scope> {
    return Scope.of(person, this.directory);
  }
}
