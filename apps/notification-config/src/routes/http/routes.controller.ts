import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import type { Route } from '@paycode/dto';
import { ReadRoutesService } from '../read-routes.service';
import { RoutesRequestBody } from './routes-request.dto';

@Controller('internal/routes')
export class RoutesController {
  constructor(private readonly routes: ReadRoutesService) {}

  /** Where and how to notify these merchants; keys are sealed. */
  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  read(@Body() { merchantIds }: RoutesRequestBody): Promise<Route[]> {
    return this.routes.read(merchantIds);
  }
}
