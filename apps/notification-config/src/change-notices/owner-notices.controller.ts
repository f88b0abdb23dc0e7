import { Body, Controller, HttpCode, Post } from '@nestjs/common';
import type { OwnerNotice } from '@paycode/dto';
import { ArrayMaxSize, IsArray, IsUUID } from 'class-validator';
import { claimedMax, OwnerNoticesService } from './owner-notices.service';

export class DoneNoticesBody {
  @IsArray()
  @ArrayMaxSize(claimedMax)
  @IsUUID(undefined, { each: true })
  noticeIds!: string[];
}

/** For the portal, which knows the owners of merchants and PSPs and has them mailed (T-15). */
@Controller('internal/portal/change-notices')
export class OwnerNoticesController {
  constructor(private readonly notices: OwnerNoticesService) {}

  /** Each comes again after half a minute unless it is done. */
  @Post('claim')
  @HttpCode(200)
  claim(): Promise<OwnerNotice[]> {
    return this.notices.claim();
  }

  @Post('done')
  @HttpCode(204)
  done(@Body() { noticeIds }: DoneNoticesBody): Promise<void> {
    return this.notices.remove(noticeIds);
  }
}
