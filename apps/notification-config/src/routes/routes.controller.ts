import { Body, Controller, Header, HttpCode, Post } from '@nestjs/common';
import { IsId, type Route, type RoutesRequest } from '@paycode/dto';
import { ArrayMaxSize, IsArray } from 'class-validator';
import { RoutesService } from './routes.service';

/** Body of POST /internal/routes. */
export class RoutesRequestBody implements RoutesRequest {
  @IsArray()
  @ArrayMaxSize(1_000)
  @IsId({ each: true })
  merchantIds!: number[];
}

@Controller('internal/routes')
export class RoutesController {
  constructor(private readonly routes: RoutesService) {}

  /** Where and how to notify these merchants; keys are sealed. */
  @Post()
  @HttpCode(200)
  @Header('cache-control', 'no-store')
  read(@Body() { merchantIds }: RoutesRequestBody): Promise<Route[]> {
    return this.routes.read(merchantIds);
  }
}
