import { Body, Controller, HttpCode, Inject, Post, Req } from '@nestjs/common';
import { type ErasureItem, idRule, isIdNumber, type PayerSearchPage } from '@paycode/dto';
import { invalidField, LOGGER, type Logger } from '@paycode/service-runtime';
import { ErasePayers } from './erase-payers';

const idsMax = 200;
const payerForm = /^(\+?[\d ()-]{7,24}|[^\s@]{1,64}@[^\s@]{1,255})$/;

/** Body of preview and of erasing. @throws DomainError 400 */
function readTransactionIds(body: unknown): number[] {
  const ids = fieldOf(body, 'transactionIds');
  if (!Array.isArray(ids) || ids.length === 0 || ids.length > idsMax)
    throw invalidField('transactionIds', `must be a list of 1 to ${idsMax} ids`);
  return [...new Set(ids.map((id: unknown, at) => readId(id, `transactionIds[${at}]`)))];
}

/** Body of search. @throws DomainError 400, which never contains the sent value */
function readSearch(body: unknown): { payer: string; afterId: number } {
  const payer = fieldOf(body, 'payer');
  if (typeof payer !== 'string' || !payerForm.test(payer))
    throw invalidField('payer', 'must be a phone number or an e-mail address');
  const afterId = fieldOf(body, 'afterId') ?? 0;
  return { payer, afterId: afterId === 0 ? 0 : readId(afterId, 'afterId') };
}

function fieldOf(body: unknown, name: string): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) throw invalidField('body', 'must be an object');
  return (body as Record<string, unknown>)[name];
}

function readId(value: unknown, field: string): number {
  if (!isIdNumber(value)) throw invalidField(field, idRule);
  return value;
}

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
