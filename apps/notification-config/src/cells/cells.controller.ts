import { Body, Controller, Get, Header, Param, Post, Put, Req } from '@nestjs/common';
import { type CellAddress, type CellEntry, cellLimits, type CellsAnswer, transactionTerminal } from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { IsInt, IsString, Matches, Max, Min, ValidateBy } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { operatorOrigin } from '../merchants/merchants.controller';
import { CellMapService } from './cell-map.service';

const nameRule = 'must be 1 to 31 small letters, digits and hyphens, the first one a letter';
const baseUrlRule = 'must be a base URL such as http://webhook-dispatcher.cell-b:3103, without a path, of at most 200 characters';

/** Credentials in a URL would stand in the audit record, and a path would be lost. */
function IsBaseUrl(): PropertyDecorator {
  const validate = (value: unknown): boolean =>
    typeof value === 'string' && value.length <= 200 && /^https?:/.test(value) && URL.parse(value)?.origin === value;
  return ValidateBy({ name: 'isBaseUrl', validator: { validate, defaultMessage: () => `$property ${baseUrlRule}` } });
}

/** Body of PUT /internal/cells/{name}. */
export class SaveCellBody implements Omit<CellAddress, 'name'> {
  @IsBaseUrl()
  dispatcherUrl!: string;

  @IsBaseUrl()
  schedulerUrl!: string;
}

/** Body of POST /internal/cells/entries. */
export class CellEntryBody implements CellEntry {
  @IsInt()
  @Min(0)
  @Max(transactionTerminal.topic.partitions - 1)
  partition!: number;

  @IsInt()
  @Min(0)
  @Max(Number.MAX_SAFE_INTEGER)
  fromOffset!: number;

  @IsString()
  @Matches(cellLimits.nameForm, { message: `cell ${nameRule}` })
  cell!: string;

  @IsInt()
  @Min(1)
  @Max(cellLimits.stepMax)
  step!: number;
}

/** The map of cells (P-1.12), for dispatchers and for `paycode cells`. */
@Controller('internal/cells')
export class CellsController {
  constructor(private readonly map: CellMapService) {}

  @Get()
  @Header('cache-control', 'no-store')
  read(): Promise<CellsAnswer> {
    return this.map.read();
  }

  @Put(':name')
  save(@Param('name') name: string, @Body() body: SaveCellBody, @Req() request: FastifyRequest): Promise<CellAddress> {
    if (!cellLimits.nameForm.test(name)) throw invalidField('name', nameRule);
    return this.map.save({ name, ...body }, operatorOrigin(request));
  }

  @Post('entries')
  append(@Body() body: CellEntryBody, @Req() request: FastifyRequest): Promise<CellEntry> {
    return this.map.append({ ...body }, operatorOrigin(request));
  }
}
