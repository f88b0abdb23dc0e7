import { join } from 'node:path';
import { type DynamicModule, Module } from '@nestjs/common';
import { PagesController } from './http/pages.controller';
import { PageFiles } from './page-files';

@Module({})
export class PagesModule {
  /** `folder` null: `web` beside the program. */
  static register({ folder }: { folder: string | null }): DynamicModule {
    return {
      module: PagesModule,
      controllers: [PagesController],
      providers: [{ provide: PageFiles, useFactory: () => new PageFiles(folder ?? join(__dirname, 'web')) }],
    };
  }
}
