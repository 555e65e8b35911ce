import java.io.BufferedReader;
import java.io.FileOutputStream;
import java.io.InputStreamReader;
import java.io.PrintStream;

/**
 * A test server that runs the Java compiler once for each candidate, with the given arguments.
 *
 * The keys of a question have the order that docs/guide/servers.md specifies.
 */
final class Javac {
    public static void main(String[] words) throws Exception {
        PrintStream answers = System.out;
        boolean hasClassPath = System.getenv("CLASSPATH") != null;
        for (String word : words) {
            hasClassPath |= word.equals("-cp") || word.matches("--?class-?path(=.*)?");
        }
        BufferedReader questions = new BufferedReader(new InputStreamReader(System.in, "UTF-8"));
        for (String line; (line = questions.readLine()) != null; ) {
            String id = line.substring(line.indexOf(':') + 1, line.indexOf(','));
            String written = text(line, "stdout");
            String[] all = words;
            if (!hasClassPath) {
                // The default class path is the current directory of the probe, not of the server.
                all = new String[words.length + 2];
                all[0] = "-cp";
                all[1] = text(line, "directory");
                System.arraycopy(words, 0, all, 2, words.length);
            }
            try (PrintStream output = new PrintStream(new FileOutputStream(written, true), true)) {
                System.setOut(output);
                int status = com.sun.tools.javac.Main.compile(all);
                output.flush();
                System.err.flush();
                answers.println("{\"id\":" + id + ",\"exit\":" + status + "}");
                answers.flush();
            }
        }
    }

    /** Returns the string value of a key in a question. */
    private static String text(String line, String key) {
        StringBuilder text = new StringBuilder();
        int at = line.lastIndexOf("\"" + key + "\":\"") + key.length() + 4;
        for (; line.charAt(at) != '"'; at++) {
            if (line.charAt(at) == '\\') {
                at++;
            }
            text.append(line.charAt(at));
        }
        return text.toString();
    }
}
