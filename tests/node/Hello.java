import com.sun.net.httpserver.HttpServer;
import java.net.InetSocketAddress;

/** The program of hello.jar: `javac --release 8 Hello.java && jar cfe hello.jar Hello Hello*.class`. */
public class Hello {
  public static void main(String[] words) throws Exception {
    HttpServer server = HttpServer.create(new InetSocketAddress(Integer.parseInt(System.getenv("SERVER_PORT"))), 0);
    server.createContext(
        "/",
        exchange -> {
          byte[] text = ("You asked for " + exchange.getRequestURI() + "\n").getBytes();
          exchange.sendResponseHeaders(200, text.length);
          exchange.getResponseBody().write(text);
          exchange.close();
        });
    server.start();
    System.out.println("The app is ready, with " + Runtime.getRuntime().maxMemory() / 1048576 + " MB of heap.");
  }
}
