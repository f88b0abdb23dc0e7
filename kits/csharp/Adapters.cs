using System.Diagnostics;
using Microsoft.AspNetCore.Builder;
using Microsoft.AspNetCore.Http;
using Microsoft.AspNetCore.Http.Features;
using Microsoft.AspNetCore.Routing;
using Microsoft.Extensions.DependencyInjection;
using Microsoft.Extensions.Hosting;
using Microsoft.Extensions.Logging;
using Microsoft.Extensions.Options;

namespace Paycode.Receiver;

/// <summary>Your work with a notification. Each notification gets an instance in a scope of its own, so it may take a DbContext.</summary>
public interface IPaymentHandler
{
    Task HandleAsync(Notification notification, CancellationToken cancellationToken);
}

public sealed class PaycodeReceiverOptions
{
    /// <summary>The lines of your key file, asked for at each notification.</summary>
    public Func<IReadOnlyList<string>> Keys { get; set; } = () => throw new InvalidOperationException("PaycodeReceiverOptions.Keys is not set");

    /// <summary>Default: an IStore among the services, else a FileStore in the folder paycode-store.</summary>
    public IStore? Store { get; set; }

    public HandleWhen When { get; set; } = HandleWhen.Before;
    public TimeSpan AnswerWithin { get; set; } = TimeSpan.FromSeconds(40);
}

public static class PaycodeExtensions
{
    private static readonly TimeSpan ResumePause = TimeSpan.FromMinutes(1);

    /// <summary>Adds the receiver with its handler; MapPaycode serves it. Failures go to the log.</summary>
    public static IServiceCollection AddPaycode<THandler>(this IServiceCollection services, Action<PaycodeReceiverOptions> configure)
        where THandler : class, IPaymentHandler
    {
        services.Configure(configure);
        services.AddScoped<IPaymentHandler, THandler>();
        services.AddSingleton<PaymentReceiver>(provider => ReceiverOf(provider));
        return services;
    }

    /// <summary>Adds a PaycodeClient, and each minute resumes what a dead process left.</summary>
    public static IServiceCollection AddPaycodeClient(this IServiceCollection services, Action<PaycodeClientOptions> configure)
    {
        services.Configure(configure);
        services.AddSingleton<PaycodeClient>(provider => new PaycodeClient(
            provider.GetRequiredService<IOptions<PaycodeClientOptions>>().Value, null, provider.GetRequiredService<ILogger<PaycodeClient>>()));
        services.AddHostedService<Resuming>();
        return services;
    }

    /// <summary>Serves the receiver of AddPaycode at a path.</summary>
    public static IEndpointConventionBuilder MapPaycode(this IEndpointRouteBuilder endpoints, string pattern) =>
        endpoints.MapPost(pattern, (RequestDelegate)ServeAsync).DisableAntiforgery();

    private static PaymentReceiver ReceiverOf(IServiceProvider provider)
    {
        var options = provider.GetRequiredService<IOptions<PaycodeReceiverOptions>>().Value;
        var scopes = provider.GetRequiredService<IServiceScopeFactory>();
        var logger = provider.GetRequiredService<ILogger<PaymentReceiver>>();
        return new PaymentReceiver
        {
            Keys = options.Keys,
            Store = options.Store ?? provider.GetService<IStore>() ?? new FileStore("paycode-store"),
            When = options.When,
            AnswerWithin = options.AnswerWithin,
            OnError = error => logger.LogError(error, "A notification was not handled"),
            Handler = async (notification, cancellationToken) =>
            {
                await using var scope = scopes.CreateAsyncScope();
                await scope.ServiceProvider.GetRequiredService<IPaymentHandler>().HandleAsync(notification, cancellationToken);
            },
        };
    }

    private static async Task ServeAsync(HttpContext context)
    {
        var arrivedAt = Stopwatch.GetTimestamp();
        // The server answers 413 to a longer body and does not read it whole. The limit cannot be set once something has read the body.
        if (context.Features.Get<IHttpMaxRequestBodySizeFeature>() is { IsReadOnly: false } limit) limit.MaxRequestBodySize = PaymentReceiver.BodyBytesMax;
        using var body = new MemoryStream();
        await context.Request.Body.CopyToAsync(body, context.RequestAborted);
        var receiver = context.RequestServices.GetRequiredService<PaymentReceiver>();
        var answer = await receiver.ReceiveAsync(body.ToArray(), name => context.Request.Headers[name], arrivedAt);
        if (answer.After is { } after) context.Response.OnCompleted(() =>
        {
            _ = after(); // not awaited: the server reads the next request of the connection when this function has ended
            return Task.CompletedTask;
        });
        context.Response.StatusCode = answer.Status;
        context.Response.ContentType = "text/plain";
        await context.Response.WriteAsync(answer.Reason);
    }

    private sealed class Resuming(IServiceProvider provider, ILogger<PaymentReceiver> logger) : BackgroundService
    {
        protected override async Task ExecuteAsync(CancellationToken stoppingToken)
        {
            if (provider.GetService<PaymentReceiver>() is not { } receiver) return;
            var client = provider.GetRequiredService<PaycodeClient>();
            using var timer = new PeriodicTimer(ResumePause);
            while (await timer.WaitForNextTickAsync(stoppingToken))
            {
                try
                {
                    await receiver.ResumeAsync(client.GetNotificationAsync, stoppingToken);
                }
                catch (Exception error) when (!stoppingToken.IsCancellationRequested)
                {
                    logger.LogError(error, "The store does not say what is pending");
                }
            }
        }
    }
}
