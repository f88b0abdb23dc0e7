import { Body, Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import type { ErasureItem, PayerSearchPage } from '@paycode/dto';
import { LOGGER, type Logger } from '@paycode/service-runtime';
import { ErasePayers } from '../erase-payers';
import { readSearch, readTransactionIds } from './erasure-body';

/** Erasure of payers' data, for operators. The payer is in the body, so that addresses and numbers never appear in URLs. */
@Controller('internal/erasures')
export class ErasuresController {
  constructor(
    private readonly erasePayers: ErasePayers,
    @Inject(LOGGER) private readonly logger: Logger,
  ) {}

  /** Shows the state of the transactions; changes nothing. */
  @Post('preview')
  @HttpCode(200)
  preview(@Body() body: unknown): Promise<ErasureItem[]> {
    return this.erasePayers.preview(readTransactionIds(body));
  }

  /** Searches one page of the stored notifications for this payer. */
  @Post('search')
  @HttpCode(200)
  search(@Body() body: unknown): Promise<PayerSearchPage> {
    const { payer, afterId } = readSearch(body);
    return this.erasePayers.search(payer, afterId);
  }

  /** Erases the payer's data of the transactions that are decided; repeating it changes nothing. */
  @Post()
  @HttpCode(200)
  async erase(@Body() body: unknown, @Req() request: { id: string; subject?: string }): Promise<ErasureItem[]> {
    const origin = { actor: `operator ${request.subject ?? 'unknown'}`, requestId: String(request.id) };
    const items = await this.erasePayers.erase(readTransactionIds(body), origin);
    const count = items.filter(({ state }) => state === 'ERASED').length;
    this.logger.info({ event: 'payers-erased', subject: request.subject, count, requestId: origin.requestId }, 'payers erased');
    return items;
  }
}
