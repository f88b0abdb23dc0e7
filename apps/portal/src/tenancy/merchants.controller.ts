import { Controller, Get } from '@nestjs/common';
import type { MerchantRecord } from '@paycode/dto';
import { SignedIn } from '../sessions/portal.guard';
import { MerchantDirectory } from './merchant.directory';
import { merchantsIn, Scope, ScopePipe } from './scope';

@Controller('console/api/merchants')
export class MerchantsController {
  constructor(private readonly directory: MerchantDirectory) {}

  @Get()
  list(@SignedIn(ScopePipe) scope: Scope): Promise<MerchantRecord[]> {
    return merchantsIn(scope, this.directory);
  }
}
