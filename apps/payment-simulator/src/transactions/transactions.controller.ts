import { Controller, Get, HttpCode, Param, Post, Req } from '@nestjs/common';
import { RouteConfig } from '@nestjs/platform-fastify';
import { ExactNumber, idOf, NotificationFormatError, notificationStatusOf } from '@paycode/dto';
import { whenNotFull } from '@paycode/persistence';
import { DomainError } from '@paycode/service-runtime';
import { readCompletions } from './completion-body';
import type { StoredTransaction } from './domain/transaction';
import { TransactionsService } from './transactions.service';

/** Lets a test or an operator complete transactions in place of customers, and shows the state of transactions. */
@Controller('internal/transactions')
export class TransactionsController {
  constructor(private readonly transactions: TransactionsService) {}

  /** Addresses may have several lines. */
  @Post()
  @RouteConfig({ multilineFields: new Set(['clientBilling', 'clientShipping']) })
  @HttpCode(201)
  async complete(@Req() request: { rawBody?: string }): Promise<{ transactionId: number }[]> {
    try {
      const ids = await whenNotFull(this.transactions.complete(readCompletions(request.rawBody ?? 'null')));
      return ids.map(transactionId => ({ transactionId }));
    } catch (error) {
      if (!(error instanceof NotificationFormatError)) throw error;
      throw new DomainError({ status: 400, reason: 'INVALID_COMPLETION', message: error.message, cause: error });
    }
  }

  @Get(':transactionId')
  async state(@Param('transactionId') transactionId: string): Promise<object> {
    const id = idOf(transactionId);
    const found = id === undefined ? undefined : await this.transactions.find(id);
    if (!found) throw new DomainError({ status: 404, reason: 'NO_TRANSACTION', message: 'Not Found' });
    return stateOf(found);
  }
}

function stateOf({ notification: _, ...transaction }: StoredTransaction): object {
  return {
    ...transaction,
    status: notificationStatusOf(transaction.txState),
    amount: new ExactNumber(transaction.amount),
    refunds: transaction.refunds.map(refund => ({ ...refund, amount: new ExactNumber(refund.amount) })),
  };
}
