import { Controller, Get } from '@nestjs/common';
import type { MerchantRecord } from '@paycode/dto';
import { SignedIn } from '../../sessions/http/portal-request';
import { merchantsIn, Scope } from '../scope';
import { MerchantDirectory } from '../tenancy.ports';
import { ScopePipe } from './scope.pipe';

@Controller('console/api/merchants')
export class MerchantsController {
  constructor(private readonly directory: MerchantDirectory) {}

  @Get()
  list(@SignedIn(ScopePipe) scope: Scope): Promise<MerchantRecord[]> {
    return merchantsIn(scope, this.directory);
  }
}
