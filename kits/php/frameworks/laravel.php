<?php
// Serves the packed kit through Laravel's own application, kernel and router, as the page does: `npm run test:kits -- php --frameworks`.
declare(strict_types=1);

use Illuminate\Contracts\Debug\ExceptionHandler;
use Illuminate\Contracts\Http\Kernel as HttpKernel;
use Illuminate\Foundation\Application;
use Illuminate\Foundation\Exceptions\Handler;
use Illuminate\Foundation\Http\Kernel;
use Illuminate\Http\Request;
use Illuminate\Support\Facades\Facade;
use Illuminate\Support\Facades\Route;
use Paycode\Receiver\Adapters;
use Paycode\Receiver\Receiver;

/** A kernel without configuration files. */
final class ConformKernel extends Kernel
{
    protected $bootstrappers = [];
}

function throughLaravel(Receiver $receiver): void
{
    $application = new Application(__DIR__);
    $application->singleton(HttpKernel::class, ConformKernel::class);
    $application->singleton(ExceptionHandler::class, Handler::class);
    Facade::setFacadeApplication($application);
    Route::post('/paycode', Adapters::forLaravel($receiver)); // outside the CSRF check
    $kernel = $application->make(HttpKernel::class);
    $request = Request::capture();
    $response = $kernel->handle($request);
    $response->send();
    $kernel->terminate($request, $response);
}
