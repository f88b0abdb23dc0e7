import { Body, Controller, Get, Header, Param, Post, Put, Req } from '@nestjs/common';
import {
  type CellAddress,
  type CellEntry,
  cellNameForm,
  cellNameRule,
  type CellsAnswer,
  IsCellName,
  IsOffset,
  IsPartition,
  IsStep,
} from '@paycode/dto';
import { invalidField } from '@paycode/service-runtime';
import { ValidateBy } from 'class-validator';
import type { FastifyRequest } from 'fastify';
import { operatorOrigin } from '../merchants/merchants.controller';
import { CellMapService } from './cell-map.service';

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
  @IsPartition()
  partition!: number;

  @IsOffset()
  fromOffset!: number;

  @IsCellName()
  cell!: string;

  @IsStep()
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
    if (!cellNameForm.test(name)) throw invalidField('name', cellNameRule);
    return this.map.save({ name, ...body }, operatorOrigin(request));
  }

  @Post('entries')
  append(@Body() body: CellEntryBody, @Req() request: FastifyRequest): Promise<CellEntry> {
    return this.map.append({ ...body }, operatorOrigin(request));
  }
}
